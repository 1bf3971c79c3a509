import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { applyVerdict } from "./apply-verdict.ts";

const perRound = 100;

/**
 * Applies each verdict that is there: one that came by another way than the end of a command, such as a change of the gates,
 * and one that a killed service has not applied. Each in a transaction of its own.
 */
export const applyVerdicts = (transactor: Transactor, clock: Clock, ids: Ids) => () =>
  Effect.gen(function* () {
    const waiting = yield* transactor.transact(({ gates }) => gates.awaitingVerdict(perRound));
    // A defect at one does not hold back the others.
    const tried = yield* Effect.forEach(waiting, (issueId) =>
      Effect.exit(transactor.transact((stores) => applyVerdict(stores, clock, ids, issueId))),
    );
    for (const each of tried) yield* each;
  });
