import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { Outage } from "../../ports/outage.ts";
import type { Batching } from "../../ports/transactor.ts";

/** How requests of one kind are batched. */
export interface BatchOptions<Request, Answer, Refused> extends Batching<Request> {
  /** The most that one batch holds. */
  readonly most: number;
  /**
   * Executes a batch, all or nothing, and returns the results in order. If it fails as a whole, each request is executed alone,
   * in order, so that one refusal does not fail the others. An outage is returned to all: it would affect each of them, and
   * after a lost commit the outcome is unknown.
   */
  readonly carryOut: (
    batch: readonly Request[],
  ) => Effect.Effect<readonly Effect.Effect<Answer, Refused>[], Refused>;
  /** Whether a batch is cancelled when all of its callers have gone, because it only reads. Default: it is executed. */
  readonly endsUnasked?: boolean;
}

/** A request that is waiting or being executed. */
interface Member<Request, Answer, Refused> {
  readonly request: Request;
  readonly answer: Deferred.Deferred<Answer, Refused>;
  /** Carries out in the context of its caller, which has the caller's trace. */
  readonly asCaller: (work: Effect.Effect<void>) => Effect.Effect<void>;
  hasGone: boolean;
  /** Called when its caller has gone. */
  onGone: () => void;
}

/**
 * Executes a request at once if none with its key is in progress; requests that arrive meanwhile form the next batch. A request
 * that is interrupted while waiting is never executed; one that is interrupted later may have been.
 */
export const batchRequests = <Request, Answer, Refused>(options: BatchOptions<Request, Answer, Refused>) => {
  type Waiting = Member<Request, Answer, Refused>[];
  /** The waiting requests of each key with a batch in progress. */
  const queues = new Map<string, Waiting>();
  const answerBatch = batchAnswerer(options);

  const answerAll = (key: string, waiting: Waiting): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = takeBatch(waiting, options);
      if (batch.length > 0)
        return Effect.andThen(batch[0]!.asCaller(answerBatch(batch)), answerAll(key, waiting));
      queues.delete(key);
      return Effect.void;
    });

  const ask = (
    request: Request,
    asCaller: Member<Request, Answer, Refused>["asCaller"],
  ): Effect.Effect<Answer, Refused> =>
    // Uninterruptible from here: a queue whose first request ends before its fiber begins would wait forever.
    Effect.uninterruptibleMask((restore) => {
      const key = options.keyOf(request);
      const member: Waiting[number] = {
        request,
        answer: Deferred.makeUnsafe(),
        asCaller,
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
  return (request: Request) =>
    Effect.withFiber(({ context }) => ask(request, (work) => Effect.updateContext(work, () => context)));
};

/** Takes the requests of the next batch from the queue: those before the first that conflicts with one of them. */
const takeBatch = <Request, Answer, Refused>(
  waiting: Member<Request, Answer, Refused>[],
  { most, conflictKeys = () => [] }: Pick<BatchOptions<Request, Answer, Refused>, "most" | "conflictKeys">,
): readonly Member<Request, Answer, Refused>[] => {
  const named = new Set<string>();
  const end = waiting.findIndex(({ request }, n) => {
    const names = conflictKeys(request);
    if (n === most || names.some((name) => named.has(name))) return true;
    for (const name of names) named.add(name);
    return false;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
};

/** Executes batches, and gives each member its result. */
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
