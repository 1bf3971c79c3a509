import type { Failure } from "./failure.ts";
import { clause } from "./sentence.ts";

/** The session has no room left for another request. */
const full =
  /prompt is too long|ran out of room in the model's context|context[_ ]length[_ ]exceeded|ContextOverflow|(?:exceeds?|over|beyond) (?:the |this )?(?:model'?s? )?(?:maximum |max )?context(?: length| window)|maximum context length|context window (?:is )?(?:full|exceeded|exhausted)|input (?:length|is too long)|too many (?:input )?tokens|input token count .* exceeds/i;

/** The provider refuses the history of the session, whatever comes next. */
const broken =
  /`?tool_use`? ids? (?:were|was) found without|`?tool_result`? blocks? (?:immediately after|that do(?:es)? not|without)|unexpected `?tool_use_id`?|each `?tool_(?:use|result)`? (?:block )?must have|an assistant message with '?tool_calls'? must be followed|no tool (?:call|output) found for|roles must alternate|thinking`? blocks? .*(?:cannot be modified|must (?:remain|be))|invalid `?signature`? in `?thinking/i;

/** Returns the failure of a session that no later run can continue; null for any other. */
export const sessionUnusable = (sentence: string): Failure | null => {
  const isFull = full.test(sentence);
  if (!isFull && !broken.test(sentence)) return null;
  return {
    errorCode: isFull ? "session_full" : "session_broken",
    errorMessage: `${clause(sentence)}. The next run starts a new session.`,
    clearSession: true,
  };
};
