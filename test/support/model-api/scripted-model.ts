/** A call of a tool of a server that the program knows: the name at that server, and its arguments. */
export interface ToolUse {
  readonly tool: string;
  readonly args: object;
}

/** A shell command, run by the program's shell tool, or a call of another tool. */
export type ScriptStep = string | ToolUse;

/** The actions of a scripted model in conversations whose first or last message contains `prompt`. */
export interface SubAgentScript extends ModelScript {
  readonly prompt: string;
}

/** The actions of a scripted model in one conversation, in any protocol. */
export interface ModelScript {
  /** Carried out one after the other. */
  readonly commands: readonly ScriptStep[];
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
  /** The last parameter is for the conversations of sub-agents, where the protocol has them. */
  script(commands: readonly ScriptStep[], closing?: string, subAgents?: readonly SubAgentScript[]): void;
  mood(mood: ModelMood, resetsAt?: Date): void;
  /** Answers wait for it. */
  hold(until: Promise<unknown>): void;
  forget(): void;
  close(): Promise<void>;
}

/** Returns the next call of a tool, or the closing message. `shell` makes the call of a command. */
export const nextStep = (
  script: ModelScript,
  toolResults: number,
  { shell, offered }: Program,
): ToolUse | { readonly closing: string } => {
  const step = script.commands[toolResults];
  if (step === undefined) return { closing: script.closing };
  if (typeof step === "string") return shell(step);
  // Programs put the server's name before a tool's.
  const ends = [`_${step.tool}`, `-${step.tool}`];
  const tool = offered.find((name) => name === step.tool || ends.some((end) => name.endsWith(end)));
  return tool === undefined ? { closing: `There is no tool ${step.tool}.` } : { tool, args: step.args };
};

/** The tools that a program offers the model. */
export interface Program {
  readonly shell: (command: string) => ToolUse;
  readonly offered: readonly string[];
}
