import { refusal } from "../shared/failure.ts";
import type { ActionNoun, ActionOf } from "./actions.ts";
import type { AssistantScope } from "./assistant-scope.ts";
import type { BoardCaller, Caller } from "./caller.ts";

type Decided = { readonly [Noun in ActionNoun]?: readonly ActionOf<Noun>[] };

/** The actions in which a person decides: about requests, questions, work to be accepted, and the rights of others. */
const decisions: Decided = {
  approval: ["approve", "reject", "requestRevision"],
  interaction: ["accept", "reject", "respond", "cancel"],
  issue: ["review", "merge", "manageGates"],
  project: ["manageGates"],
  company: ["manageMembers", "manageGrants"],
  instance: ["manageUsers", "releaseAgents"],
};

/** The scope that a call needs: `read` if it changes nothing, `decide` if its action is a decision, else `work`. */
export const scopeOfCall = (
  changes: boolean,
  action: { readonly noun: ActionNoun; readonly name: string } | null,
): AssistantScope => {
  if (!changes) return "read";
  const decided: readonly string[] = action === null ? [] : (decisions[action.noun] ?? []);
  return action !== null && decided.includes(action.name) ? "decide" : "work";
};

/** Details: `scope`, which the assistant would need. */
export class InsufficientScope extends refusal(
  "insufficient_scope",
  "forbidden",
  "This assistant isn't allowed to do this. Connect it again and allow more.",
) {}

/** Of what needs the person at the page: what can't be undone, and credentials. */
export class NotByAssistant extends refusal(
  "not_by_assistant",
  "forbidden",
  "An assistant can't do this. Do it yourself on the board page.",
) {}

/** The assistant by which a person calls; null: they call themselves. */
export const assistantOf = (caller: Caller): NonNullable<BoardCaller["assistant"]> | null =>
  caller.kind === "board" ? (caller.assistant ?? null) : null;

/** Why an assistant is refused a call of that scope, or null. Other callers have every scope. */
export const refusalOfScope = (caller: Caller, scope: AssistantScope): InsufficientScope | null => {
  const assistant = assistantOf(caller);
  return assistant === null || assistant.scopes.includes(scope) ? null : new InsufficientScope({ scope });
};
