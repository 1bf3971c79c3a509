/** The model's use for one message, where the program tells it before the end. */
interface MessageUse {
  readonly messageId?: string;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
  };
}

/** One entry of a transcript, as a UI parser returns it and the web app shows it. */
export type TranscriptEntry = {
  readonly ts: string;
  /** The `toolUseId` of the call that started the sub-agent whose entry this is. */
  readonly parentToolUseId?: string;
} & MessageUse &
  (
    | {
        readonly kind: "assistant" | "thinking" | "user" | "stdout" | "stderr" | "system";
        readonly text: string;
      }
    | { readonly kind: "init"; readonly model: string; readonly sessionId: string }
    | {
        readonly kind: "tool_call";
        readonly name: string;
        readonly input: unknown;
        readonly toolUseId?: string;
      }
    | {
        readonly kind: "tool_result";
        readonly toolUseId: string;
        readonly content: string;
        readonly isError: boolean;
      }
    | {
        readonly kind: "result";
        readonly text: string;
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly cachedTokens: number;
        readonly costUsd: number;
        readonly subtype: string;
        readonly isError: boolean;
        readonly errors: readonly string[];
      }
  );
