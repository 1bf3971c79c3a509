import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { Outage } from "../../ports/outage.ts";
import type { Batching } from "../../ports/transactor.ts";

/** How requests of one kind are carried out together. */
export interface BatchOptions<Request, Answer, Refused> extends Batching<Request> {
  /** The most that one batch holds. */
  readonly most: number;
  /**
   * Carries a batch out, all or nothing, and answers each request in its place. If it fails as a whole, each request is
   * carried out alone, in their order: what is refused for one of them must not fail the others. An outage is answered
   * to all: it would meet each of them, and what a lost commit has stored is unknown.
   */
  readonly carryOut: (
    batch: readonly Request[],
  ) => Effect.Effect<readonly Effect.Effect<Answer, Refused>[], Refused>;
  /** Whether a batch ends when all its requests have gone: it writes nothing. Default: it is carried out. */
  readonly endsUnasked?: boolean;
}

/**
 * Carries out a request at once if no other of its key is in progress, and those that arrive meanwhile in the next
 * batch. A request that is interrupted while it waits is never carried out; one that is interrupted later may have been,
 * unless its batch ends unasked.
 */
export const batchRequests = <Request, Answer, Refused>({
  keyOf,
  apart = () => [],
  most,
  carryOut,
  endsUnasked = false,
}: BatchOptions<Request, Answer, Refused>) => {
  interface Member {
    readonly request: Request;
    readonly answer: Deferred.Deferred<Answer, Refused>;
    hasGone: boolean;
    /** Called when it has gone. */
    onGone: () => void;
  }
  /** The requests that wait, of each key of which a batch is being carried out. */
  const queues = new Map<string, Member[]>();

  const takeBatch = (waiting: Member[]): readonly Member[] => {
    const named = new Set<string>();
    const end = waiting.findIndex(({ request }, n) => {
      const names = apart(request);
      if (n === most || names.some((name) => named.has(name))) return true;
      for (const name of names) named.add(name);
      return false;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  };
  /** Waits until nobody asks for the batch any longer. */
  const allGone = (batch: readonly Member[]) =>
    Effect.callback<never>((resume) => {
      const look = () => {
        if (batch.every(({ hasGone }) => hasGone)) resume(Effect.interrupt);
      };
      for (const member of batch) member.onGone = look;
      look();
    });
  const carriedOut = (batch: readonly Member[]) => {
    const all = Effect.suspend(() => carryOut(batch.map(({ request }) => request)));
    return endsUnasked ? Effect.raceFirst(all, allGone(batch)) : all;
  };
  const answerBatch = (batch: readonly Member[]): Effect.Effect<void> =>
    carriedOut(batch).pipe(
      Effect.flatMap((answers) =>
        Effect.sync(() => {
          for (const [n, { answer }] of batch.entries()) Deferred.doneUnsafe(answer, answers[n]!);
        }),
      ),
      Effect.catch((refused) => (batch.length > 1 ? answerEach(batch) : Effect.fail(refused))),
      Effect.catchDefect((defect) =>
        batch.length > 1 && !(defect instanceof Outage) ? answerEach(batch) : Effect.die(defect),
      ),
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          for (const { answer } of batch) Deferred.doneUnsafe(answer, Effect.failCause(cause));
        }),
      ),
    );
  const answerEach = (batch: readonly Member[]) =>
    Effect.forEach(batch, (one) => answerBatch([one]), { discard: true });
  const answerAll = (key: string, waiting: Member[]): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = takeBatch(waiting);
      if (batch.length > 0) return Effect.andThen(answerBatch(batch), answerAll(key, waiting));
      queues.delete(key);
      return Effect.void;
    });

  return (request: Request): Effect.Effect<Answer, Refused> =>
    // Uninterruptible from here: a queue whose first request ends before its fiber begins would wait without end.
    Effect.uninterruptibleMask((restore) => {
      const key = keyOf(request);
      const member: Member = { request, answer: Deferred.makeUnsafe(), hasGone: false, onGone: () => {} };
      const found = queues.get(key);
      const waiting = found ?? [];
      waiting.push(member);
      if (found === undefined) queues.set(key, waiting);
      // In a fiber of its own: the answers of the others must not end with this request.
      const started = found === undefined ? Effect.forkDetach(answerAll(key, waiting)) : Effect.void;
      const leave = Effect.sync(() => {
        const index = waiting.indexOf(member);
        if (index !== -1) waiting.splice(index, 1);
        member.hasGone = true;
        member.onGone();
      });
      return Effect.andThen(
        started,
        Effect.onInterrupt(restore(Deferred.await(member.answer)), () => leave),
      );
    });
};
