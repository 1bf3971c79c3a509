import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Stores } from "../../ports/transactor.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { type Refusal, refusal } from "../model/shared/failure.ts";

/** Why a declaration would be refused. */
export interface WouldBeRefused {
  readonly code: string;
  readonly error: string;
}

/** Ends the transaction of a trial: nothing that it has written stays. */
class TrialEnds extends refusal("trial_ends", "conflict", "The preview has ended.") {}

/** Carries out work in a transaction that is rolled back. Returns why it would be refused; null: it would not be. */
export const tryOut = <E extends Refusal>(
  { transactor }: UseCaseContext,
  work: (stores: Stores) => Effect.Effect<unknown, E>,
): Effect.Effect<WouldBeRefused | null> =>
  Effect.map(
    Effect.result(
      transactor.transact((stores) =>
        work(stores).pipe(
          // A read waits for the writes before it, so that their refusals are known.
          Effect.andThen(stores.companies.ids()),
          Effect.andThen(Effect.fail(new TrialEnds())),
        ),
      ),
    ),
    (tried) => {
      if (Result.isSuccess(tried) || tried.failure instanceof TrialEnds) return null;
      const { code, message } = tried.failure as Refusal;
      return { code, error: message };
    },
  );
