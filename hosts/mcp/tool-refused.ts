import { BoardroomError } from "../library/client-error.ts";

/** A tool was called in a way that no endpoint sees. */
export class ToolRefused extends Error {
  override readonly name = "ToolRefused";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const mostDetails = 2_000;

/** A refusal as a model reads it: the sentence, the code, and the way out; null: the error is a defect. */
export const refusalText = (error: unknown): string | null => {
  if (error instanceof ToolRefused) return `${error.message} (${error.code})`;
  if (!(error instanceof BoardroomError)) return null;
  const { status, code, message, details, retryAfterSec } = error;
  const more = details === undefined ? "" : JSON.stringify(details).slice(0, mostDetails);
  return [
    `${message} (${code})`,
    status === 409 ? "Do not repeat the call as it is: the state does not allow it." : "",
    retryAfterSec === null ? "" : `Wait ${retryAfterSec} s, then repeat the call.`,
    more === "" ? "" : `Details: ${more}`,
  ]
    .filter((line) => line !== "")
    .join("\n");
};
