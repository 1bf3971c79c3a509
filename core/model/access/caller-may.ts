import { CompanyArchived, type CompanyStatus } from "../companies/company.ts";
import type { Refusal } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import { type ActionNoun, type ActionOf, actions, type Need, refusalOfRole } from "./actions.ts";
import { type Actor, type AgentCaller, actorOf, type BoardCaller } from "./caller.ts";

/** Whether an action is possible now; if not, the code and the sentence of the refusal. */
export type Possible =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: string; readonly error: string };

/** The actions that a caller may take on a record now, and why not the others. */
export type CallerMay<Action extends string> = Readonly<Record<Action, Possible>>;

/**
 * Why each action is refused in a state of a record; null: never, once the caller has the role. The verbs call the same
 * functions.
 */
export type RefusalsOf<Noun extends ActionNoun, Facts> = {
  readonly [Action in ActionOf<Noun>]: ((facts: Facts, by: Actor) => Refusal | null) | null;
};

/** An action that meets this refusal; null: none. */
export const possibleUnless = (refusal: Refusal | null): Possible =>
  refusal === null ? { allowed: true } : { allowed: false, code: refusal.code, error: refusal.message };

const mayEach = <Noun extends ActionNoun>(
  noun: Noun,
  refusalOf: (need: Need, action: ActionOf<Noun>) => Refusal | null,
): CallerMay<ActionOf<Noun>> => {
  const needs: Readonly<Record<string, Need>> = actions[noun];
  const may: Record<string, Possible> = {};
  for (const action in needs)
    may[action] = possibleUnless(refusalOf(needs[action]!, action as ActionOf<Noun>));
  return may as CallerMay<ActionOf<Noun>>;
};

/** The reader of a record, and the company of the record. */
export interface Reader {
  readonly caller: BoardCaller | AgentCaller;
  readonly companyId: CompanyId;
  readonly companyStatus: CompanyStatus;
}

/** The actions that a caller may take on the service itself. */
export const instanceActions = (caller: BoardCaller): CallerMay<ActionOf<"instance">> =>
  mayEach("instance", (need) => refusalOfRole(need, caller, null));

/** Makes the function that tells what a reader may do with a record of the kind. */
export const callerMayOf =
  <const Noun extends ActionNoun, Facts>(noun: Noun, refusals: RefusalsOf<Noun, Facts>) =>
  (facts: Facts, { caller, companyId, companyStatus }: Reader): CallerMay<ActionOf<Noun>> => {
    const by = actorOf(caller);
    return mayEach(
      noun,
      (need, action) =>
        refusalOfRole(need.ofCall ?? need, caller, companyId) ??
        (companyStatus === "archived" && need.whileArchived !== true ? new CompanyArchived() : null) ??
        (need.ofCall === undefined ? null : refusalOfRole(need, caller, companyId)) ??
        refusals[action]?.(facts, by) ??
        null,
    );
  };
