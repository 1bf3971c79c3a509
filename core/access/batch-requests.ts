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

/** A request that waits or is carried out. */
interface Member<Request, Answer, Refused> {
  readonly request: Request;
  readonly answer: Deferred.Deferred<Answer, Refused>;
  hasGone: boolean;
  /** Called when it has gone. */
  onGone: () => void;
}

/**
 * Carries out a request at once if no other of its key is in progress, and those that arrive meanwhile in the next
 * batch. A request that is interrupted while it waits is never carried out; one that is interrupted later may have been,
 * unless its batch ends unasked.
 */
export const batchRequests = <Request, Answer, Refused>(options: BatchOptions<Request, Answer, Refused>) => {
  type Waiting = Member<Request, Answer, Refused>[];
  /** The requests that wait, of each key of which a batch is being carried out. */
  const queues = new Map<string, Waiting>();
  const answerBatch = batchAnswerer(options);

  const answerAll = (key: string, waiting: Waiting): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = takeBatch(waiting, options);
      if (batch.length > 0) return Effect.andThen(answerBatch(batch), answerAll(key, waiting));
      queues.delete(key);
      return Effect.void;
    });

  return (request: Request): Effect.Effect<Answer, Refused> =>
    // Uninterruptible from here: a queue whose first request ends before its fiber begins would wait without end.
    Effect.uninterruptibleMask((restore) => {
      const key = options.keyOf(request);
      const member: Waiting[number] = {
        request,
        answer: Deferred.makeUnsafe(),
        hasGone: false,
        onGone: () => {},
      };
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

/** Takes the requests of the next batch from the queue: those before the first that conflicts with one of them. */
const takeBatch = <Request, Answer, Refused>(
  waiting: Member<Request, Answer, Refused>[],
  { most, apart = () => [] }: Pick<BatchOptions<Request, Answer, Refused>, "most" | "apart">,
): readonly Member<Request, Answer, Refused>[] => {
  const named = new Set<string>();
  const end = waiting.findIndex(({ request }, n) => {
    const names = apart(request);
    if (n === most || names.some((name) => named.has(name))) return true;
    for (const name of names) named.add(name);
    return false;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
};

/** Carries batches out, and gives each member its answer. */
const batchAnswerer = <Request, Answer, Refused>({
  carryOut,
  endsUnasked = false,
}: Pick<BatchOptions<Request, Answer, Refused>, "carryOut" | "endsUnasked">) => {
  type Batch = readonly Member<Request, Answer, Refused>[];
  const carriedOut = (batch: Batch) => {
    const all = Effect.suspend(() => carryOut(batch.map(({ request }) => request)));
    return endsUnasked ? Effect.raceFirst(all, endWithoutMembers(batch)) : all;
  };
  const answerEach = (batch: Batch) => Effect.forEach(batch, (one) => answerBatch([one]), { discard: true });
  const answerBatch = (batch: Batch): Effect.Effect<void> =>
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
  return answerBatch;
};

/** Interrupts once every member of the batch has gone. */
const endWithoutMembers = (batch: readonly { readonly hasGone: boolean; onGone: () => void }[]) =>
  Effect.callback<never>((resume) => {
    const check = () => {
      if (batch.every(({ hasGone }) => hasGone)) resume(Effect.interrupt);
    };
    for (const member of batch) member.onGone = check;
    check();
  });
