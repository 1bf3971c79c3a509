/** What a scripted model does in one conversation, whatever protocol it is asked in. */
export interface ModelScript {
  /** Shell commands, run one after the other by the agent program's shell tool. */
  readonly commands: readonly string[];
  /** Said after the last one. */
  readonly closing: string;
}

/** How the API answers instead, where it does not play the script. */
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
  /** To be given to the program, without a trailing slash. */
  readonly url: string;
  /** All requests for an answer of the model so far. */
  readonly requests: readonly ModelRequest[];
  script(commands: readonly string[], closing?: string): void;
  mood(mood: ModelMood, resetsAt?: Date): void;
  forget(): void;
  close(): Promise<void>;
}

/** What comes next: the command after those already answered, or the closing sentence. */
export const nextStep = (
  script: ModelScript,
  toolResults: number,
): { readonly command: string } | { readonly closing: string } => {
  const command = script.commands[toolResults];
  return command === undefined ? { closing: script.closing } : { command };
};
