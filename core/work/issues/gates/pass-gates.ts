import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import { type Actor, actingRun } from "../../../model/access/caller.ts";
import { GatesUnmet } from "../../../model/issues/gates/judge-gates.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { NotAllowed } from "../../../model/shared/failure.ts";
import { readGates } from "./read-gates.ts";

interface Asked {
  readonly overrideGates?: boolean | undefined;
}

/**
 * Returns the issue, verified if it is completed with all its gates met. The board may override unmet gates, which is logged.
 * An agent cannot move an issue away from its gates.
 */
export const passGates = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  before: Issue,
  after: Issue,
  { overrideGates = false }: Asked,
) {
  const { by } = unit;
  yield* requireMayOverride(by, overrideGates);
  if (by.kind === "agent" && before.projectId !== null && after.projectId !== before.projectId) {
    const gates = yield* unit.gates.ofIssue(before);
    if (gates.length > 0)
      return yield* Effect.fail(
        new NotAllowed(
          { path: ["projectId"] },
          "Only the board can move an issue with gates out of its project.",
        ),
      );
  }
  if (after.status !== "done" || before.status === "done") return after;
  const isVerified = yield* requireGates(unit, after, { overrideGates });
  return isVerified ? { ...after, verifiedAt: unit.at } : after;
});

/** Refuses a change that an issue's unmet gates forbid. Returns whether it has gates and meets them all. */
export const requireGates = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issue: Issue,
  { overrideGates = false }: Asked,
) {
  const { by } = unit;
  yield* requireMayOverride(by, overrideGates);
  const gates = yield* readGates(unit, issue, actingRun(by));
  const unmet = gates.filter(({ reason }) => reason !== null);
  if (unmet.length === 0) return gates.length > 0;
  if (!overrideGates) return yield* Effect.fail(GatesUnmet.of(unmet));
  yield* unit.log("issue.gates_overridden", issue, {
    identifier: issue.identifier,
    gates: unmet.map(({ name }) => name),
  });
  return false;
});

/** To override gates is a decision: of people, and of assistants that may decide for them. */
const requireMayOverride = (by: Actor, overrideGates: boolean) => {
  if (!overrideGates) return Effect.void;
  const refused = (message: string) => Effect.fail(new NotAllowed({ path: ["overrideGates"] }, message));
  if (by.kind === "agent") return refused("Only the board can override gates.");
  const isLimited = by.kind === "board" && by.assistant?.scopes.includes("decide") === false;
  return isLimited
    ? refused("This assistant may not decide for you, so it can't override gates.")
    : Effect.void;
};
