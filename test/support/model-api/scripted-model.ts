/** The actions of a scripted model in one conversation, in any protocol. */
export interface ModelScript {
  /** Shell commands, run one after the other by the agent program's shell tool. */
  readonly commands: readonly string[];
  /** The closing message. */
  readonly closing: string;
}

/** The API's answer instead of the script. */
export type ModelMood =
  | "willing"
  /** The account's limit is used up until `resetsAt`. */
  | "quota"
  | "overloaded"
  | "refusing"
  | "credentials_refused"
  /** Takes the request and never answers. */
  | "silent";

/** One request as the agent program sent it. */
export interface ModelRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: each protocol has its own
  readonly body: any;
}

export interface ModelApi {
  /** The base URL for the program, without a trailing slash. */
  readonly url: string;
  /** All requests for an answer of the model so far. */
  readonly requests: readonly ModelRequest[];
  script(commands: readonly string[], closing?: string): void;
  mood(mood: ModelMood, resetsAt?: Date): void;
  forget(): void;
  close(): Promise<void>;
}

/** Returns the next command, or the closing message. */
export const nextStep = (
  script: ModelScript,
  toolResults: number,
): { readonly command: string } | { readonly closing: string } => {
  const command = script.commands[toolResults];
  return command === undefined ? { closing: script.closing } : { command };
};
