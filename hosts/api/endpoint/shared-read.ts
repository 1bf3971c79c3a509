import * as Effect from "effect/Effect";
import { batchRequests } from "../../../core/access/batch-requests.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { App } from "./app.ts";

/** The answers that several callers got from one read. */
const sharedAnswers = new WeakSet<object>();

/** Whether several callers got this answer, so that a host writes its text once for all of them. */
export const isSharedAnswer = (answer: object): boolean => sharedAnswers.has(answer);

/** Marks an answer that does not change, and is not a new object for each caller. */
export const shared = <Answer extends object>(answer: Answer): Answer => {
  sharedAnswers.add(answer);
  return answer;
};

/** The input of a read about a whole company. */
export interface InCompany {
  readonly companyId: CompanyId;
}

/**
 * Carries out a read once for all callers who ask for the same while an earlier one is in progress: they wait for one
 * that begins after all of them have asked, so each sees what was stored before its request. Many people look at the
 * same list at once, for instance when an event refreshes it on every open page.
 *
 * A read ends when all who asked for it have gone.
 *
 * The read gets no caller: its answer depends on the app and the input alone. Access is checked for each caller before.
 */
export const sharedRead = <Input extends object, Answer extends object, Refused>(
  read: (app: App, input: Input) => Effect.Effect<Answer, Refused>,
): ((app: App, input: Input) => Effect.Effect<Answer, Refused>) => {
  const readsOf = new WeakMap<App, ReturnType<typeof batchRequests<Input, Answer, Refused>>>();
  return (app, input) => {
    let ask = readsOf.get(app);
    if (ask === undefined) {
      ask = batchRequests<Input, Answer, Refused>({
        keyOf: (asked) => JSON.stringify(asked),
        most: Number.POSITIVE_INFINITY,
        endsUnasked: true,
        // A refusal or a defect is shared as well: another read would meet it again.
        carryOut: (batch) =>
          read(app, batch[0]!).pipe(
            Effect.tap((answer) =>
              Effect.sync(() => {
                if (batch.length > 1)
                  sharedAnswers.add("items" in answer ? (answer.items as object) : answer);
              }),
            ),
            Effect.exit,
            Effect.map((exit) => batch.map(() => exit)),
          ),
      });
      readsOf.set(app, ask);
    }
    return ask(input);
  };
};
