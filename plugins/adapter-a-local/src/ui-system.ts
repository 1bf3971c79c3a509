import { asCount, asObject, asText, type Json } from "../../kit/json.ts";
import type { TranscriptEntry } from "../../kit/transcript.ts";

/** Bookkeeping of the program, and progress of what reports its end as well. */
const quiet = new Set([
  "background_tasks_changed",
  "files_persisted",
  "hook_progress",
  "hook_started",
  "session_state_changed",
  "task_progress",
  "thinking_tokens",
]);

/** Shows an event of the program about itself as a sentence; an unknown one by its name and text. */
export const systemEntries = (event: Json, ts: string): TranscriptEntry[] => {
  const subtype = asText(event.subtype);
  if (subtype === "init")
    return [{ kind: "init", ts, model: asText(event.model), sessionId: asText(event.session_id) }];
  const text = quiet.has(subtype) ? "" : systemText(subtype, event);
  if (text === "") return [];
  // The call that started a background task.
  const parent = /^task_/.test(subtype) ? asText(event.tool_use_id) : "";
  return [{ kind: "system", ts, text, ...(parent === "" ? {} : { parentToolUseId: parent }) }];
};

const systemText = (subtype: string, event: Json): string => {
  switch (subtype) {
    case "hook_response":
      return hookText(event);
    case "task_started":
      return sentence("Background task started", event.description);
    case "task_updated":
      return patchText(asObject(event.patch) ?? {});
    case "task_notification":
      return sentence(`Background task ${asText(event.status) || "ended"}`, event.summary);
    case "status":
      return event.status === "compacting" ? "Compacting the history" : "";
    case "compact_boundary":
      return "History compacted";
    case "api_retry":
      return retryText(event);
    case "permission_denied":
      return sentence(`Permission denied for ${asText(event.tool_name) || "a tool"}`, event.message);
    default:
      return sentence(
        subtype.replaceAll("_", " "),
        event.content ?? event.message ?? event.text ?? event.summary,
      );
  }
};

const sentence = (start: string, rest: unknown): string =>
  asText(rest) === "" ? start : start === "" ? asText(rest) : `${start}: ${asText(rest)}`;

const hookText = ({ hook_name, hook_event, outcome, exit_code, stderr, output, stdout }: Json): string => {
  const failed = outcome === "error" || (typeof exit_code === "number" && exit_code !== 0);
  const end = outcome === "cancelled" ? "cancelled" : failed ? "failed" : "succeeded";
  const code = failed && typeof exit_code === "number" ? ` (exit code ${exit_code})` : "";
  const text = asText(stderr).trim() || asText(output).trim() || asText(stdout).trim();
  return sentence(`Hook ${asText(hook_name) || asText(hook_event)} ${end}${code}`, text);
};

/** How a task ended also comes as a notification. */
const patchText = ({ status, error }: Json): string =>
  asText(error) === "" ? "" : sentence(`Background task ${asText(status) || "failed"}`, error);

const retryText = ({ attempt, max_retries, retry_delay_ms, error_status, error }: Json): string => {
  const answer = [typeof error_status === "number" ? `${error_status}` : "", asText(error)].filter(Boolean);
  const of = asCount(max_retries) === 0 ? "" : ` of ${asCount(max_retries)}`;
  const wait = asCount(retry_delay_ms) === 0 ? "" : ` in ${Math.ceil(asCount(retry_delay_ms) / 1000)} s`;
  return sentence(`Request to the model fails, attempt ${asCount(attempt)}${of}${wait}`, answer.join(" "));
};

/** A limit is shown once it is near or reached: the usage of the account has a place of its own. */
export const limitEntries = (limit: Json, ts: string): TranscriptEntry[] => {
  const { status, rateLimitType, utilization, resetsAt } = limit;
  if (status !== "rejected" && status !== "allowed_warning") return [];
  const start = status === "rejected" ? "Usage limit reached" : "Usage limit is near";
  const used = typeof utilization === "number" ? `${Math.round(utilization * 100)} % used` : "";
  const resets =
    asCount(resetsAt) > 0 && asCount(resetsAt) < 1e11 ? `resets at ${iso(asCount(resetsAt))}` : "";
  const about = [asText(rateLimitType).replaceAll("_", " "), used, resets].filter(Boolean).join(", ");
  return [{ kind: "system", ts, text: sentence(start, about) }];
};

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
