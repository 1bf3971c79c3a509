import { asObject, asObjects, asText, type Json } from "../../kit/json.ts";

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
const isOurs = (call: Json): boolean =>
  Object.values(asObject(call._meta) ?? {}).some((meta) =>
    asText(asObject(meta)?.toolName).startsWith("mcp__boardroom__"),
  );

const edits: readonly string[] = ["edit", "delete", "move"];

/**
 * Allows the service's own tools, and decides others by the kinds of the tool call and of the options: "once" alone, so that nothing is
 * remembered in a home. `known` is an earlier report of the tool call, which a request need not repeat.
 */
export const decide = (policy: Policy, params: Json, known: Json | null): Decision => {
  const call = { ...known, ...asObject(params.toolCall) };
  const isAllowed =
    policy === "allow" || isOurs(call) || (policy === "allow_edits" && edits.includes(asText(call.kind)));
  const kind = isAllowed ? "allow_once" : "reject_once";
  const option = asObjects(params.options).find((one) => one.kind === kind);
  const named = [asText(call.title), asText(call.name), asText(call.kind), "a tool"].find(
    (name) => name !== "",
  );
  return {
    answer: {
      outcome:
        option === undefined
          ? { outcome: "cancelled" }
          : { outcome: "selected", optionId: asText(option.optionId) },
    },
    isAllowed: isAllowed && option !== undefined,
    subject: (named ?? "").replaceAll(/\s+/g, " ").slice(0, 300),
  };
};
