import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { PermissionAnswer, PermissionRequest } from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json } from "../json.ts";
import { commandIn, lineDiff, type Policy, pathIn } from "../permissions.ts";
import { callOf, type KnownCall } from "./known-call.ts";

/** The result of `session/request_permission`. */
export interface Decision {
  readonly answer: RequestPermissionResponse;
  readonly isAllowed: boolean;
}

/** A request of an agent. */
export interface Asked {
  readonly options: readonly Json[];
  /** In one line, for the run's log. */
  readonly subject: string;
  /** By the policy alone; null: people decide. */
  readonly decided: boolean | null;
  readonly request: PermissionRequest;
}

/** A tool of the service itself, by the name that the agent's program reports, and not by words of its model. */
const isOurs = ({ toolName, server }: KnownCall, namesServers: boolean): boolean =>
  toolName.startsWith("mcp__boardroom__") || (namesServers && server === "boardroom");

const edits: readonly string[] = ["edit", "delete", "move"];

/**
 * Reads a request. The service's own tools are allowed; others are decided by the kind of the tool call. `known` is an
 * earlier report of the tool call, which a request need not repeat. `namesServers`: the program, and not its model,
 * names the server of a tool in its input.
 */
export const askedBy = (
  policy: Policy,
  params: Json,
  known: KnownCall | undefined,
  namesServers = false,
): Asked => {
  const toolCall = asObject(params.toolCall) ?? {};
  const call = callOf(toolCall, known);
  const isAllowed =
    policy === "allow" ||
    isOurs(call, namesServers) ||
    (policy === "allow_edits" && edits.includes(call.kind));
  const subject = (call.title || call.name || call.kind || "a tool").replaceAll(/\s+/g, " ");
  return {
    options: asObjects(params.options),
    subject,
    // Nobody decides about an input that they cannot see.
    decided: policy === "ask" && !isAllowed && !call.hasLongInput ? null : isAllowed,
    request: requestOf(call, toolCall, subject),
  };
};

/** The answer by the kinds of the options: "once" alone, so that nothing is remembered in a home. */
export const answerOf = ({ options }: Asked, isAllowed: boolean): Decision => {
  const kind = isAllowed ? "allow_once" : "reject_once";
  const option = options.find((one) => one.kind === kind);
  return {
    answer: {
      outcome:
        option === undefined
          ? { outcome: "cancelled" }
          : { outcome: "selected", optionId: asText(option.optionId) },
    },
    isAllowed: isAllowed && option !== undefined,
  };
};

const requestOf = (call: KnownCall, toolCall: Json, title: string): PermissionRequest => {
  const diffs = asObjects(toolCall.content).filter(({ type }) => type === "diff");
  const diff = diffs.map(({ path, oldText, newText }) =>
    [...(diffs.length > 1 ? [asText(path)] : []), lineDiff(asText(oldText), asText(newText))].join("\n"),
  );
  const input = asObject(toolCall.rawInput);
  const raw = input !== null && Object.keys(input).length > 0 ? input : call.input;
  const [place] = [...diffs, ...asObjects(toolCall.locations)]
    .map(({ path }) => asText(path))
    .filter(Boolean);
  const path = place ?? pathIn(raw);
  // A change is shown by its lines; its input would repeat them.
  const command = diffs.length > 0 ? undefined : commandIn(raw);
  return {
    tool: call.toolName || call.name || call.kind || "tool",
    title,
    ...(command === undefined ? {} : { command }),
    ...(path === undefined ? {} : { path }),
    ...(diff.length === 0 ? {} : { diff: diff.join("\n") }),
  };
};

/** A line for the run's log. */
export const decisionLine = (
  { subject }: Asked,
  isAllowed: boolean,
  policy: Policy,
  answer: PermissionAnswer | null,
): string => {
  const by = answer === null ? policy : "by a person";
  const why = answer === null || answer.allow ? "" : `: ${answer.message}`;
  return `Permission for "${subject}": ${isAllowed ? "allowed" : "refused"} (${answer?.allow === false ? "ask" : by})${why}${why === "" ? "." : ""}`;
};
