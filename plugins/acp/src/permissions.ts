import { asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { callOf, type KnownCall } from "./known-call.ts";

/** The answer to what an agent asks before it uses a tool. */
export type Policy = "allow" | "allow_edits" | "deny";

export const policies: readonly Policy[] = ["allow", "allow_edits", "deny"];

export interface Decision {
  /** The result of `session/request_permission`. */
  readonly answer: Json;
  readonly isAllowed: boolean;
  /** The request in one line, for the run's log. */
  readonly subject: string;
}

/** A tool of the service itself, by the name that the agent's program reports, and not by words of its model. */
const isOurs = ({ toolName }: KnownCall): boolean => toolName.startsWith("mcp__boardroom__");

const edits: readonly string[] = ["edit", "delete", "move"];

/**
 * Allows the service's own tools, and decides others by the kinds of the tool call and of the options: "once" alone, so
 * that nothing is remembered in a home. `known` is an earlier report of the tool call, which a request need not repeat.
 */
export const decide = (policy: Policy, params: Json, known: KnownCall | undefined): Decision => {
  const call = callOf(asObject(params.toolCall) ?? {}, known);
  const isAllowed =
    policy === "allow" || isOurs(call) || (policy === "allow_edits" && edits.includes(call.kind));
  const kind = isAllowed ? "allow_once" : "reject_once";
  const option = asObjects(params.options).find((one) => one.kind === kind);
  return {
    answer: {
      outcome:
        option === undefined
          ? { outcome: "cancelled" }
          : { outcome: "selected", optionId: asText(option.optionId) },
    },
    isAllowed: isAllowed && option !== undefined,
    subject: (call.title || call.name || call.kind || "a tool").replaceAll(/\s+/g, " "),
  };
};
