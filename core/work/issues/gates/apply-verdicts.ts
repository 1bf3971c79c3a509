import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../../../access/unit-of-work.ts";
import { applyVerdict } from "./apply-verdict.ts";

const perRound = 100;

/**
 * Applies the pending verdicts: those that did not come from the end of a command, such as a change of the gates, and those
 * that a killed service did not apply. Each in a transaction of its own.
 */
export const applyVerdicts = (context: UseCaseContext) => () =>
  Effect.gen(function* () {
    const waiting = yield* context.transactor.transact(({ gates }) => gates.awaitingVerdict(perRound));
    // A defect at one does not block the others.
    const tried = yield* Effect.forEach(waiting, (issueId) =>
      Effect.exit(
        transactAsSystem(context, "issues.applyVerdicts", function* (unit) {
          return yield* applyVerdict(unit, issueId);
        }),
      ),
    );
    for (const each of tried) yield* each;
  });
