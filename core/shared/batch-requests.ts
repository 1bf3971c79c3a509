import * as Effect from "effect/Effect";
import { Outage } from "../../ports/outage.ts";

/** How requests of one kind are carried out together. */
export interface BatchOptions<Request, Answer, Refused> {
  /** Requests of one group go one batch after the other. */
  readonly groupOf: (request: Request) => string;
  /** The most that one batch holds. */
  readonly most: number;
  /** Whether it can be part of that batch; if not, it waits for the next. */
  readonly mayJoin: (batch: readonly Request[], request: Request) => boolean;
  /**
   * Carries a batch out, all or nothing, and answers each request in its order. If it fails as a whole, each request is
   * carried out alone, in their order: what is refused for one of them must not fail the others. An outage is answered
   * to all: it would meet each of them, and what a lost commit has stored is unknown.
   */
  readonly carryOut: (
    batch: readonly Request[],
  ) => Effect.Effect<readonly Effect.Effect<Answer, Refused>[], Refused>;
}

interface Waiting<Request, Answer, Refused> {
  readonly request: Request;
  readonly answer: (answer: Effect.Effect<Answer, Refused>) => void;
}

/**
 * Carries out a request at once if no other is in progress, and those that arrive meanwhile in the next batch: many
 * requests for one lock then take it once. A request that is interrupted while it waits is never carried out; one that
 * is interrupted later may have been.
 */
export const batchRequests = <Request, Answer, Refused>({
  groupOf,
  most,
  mayJoin,
  carryOut,
}: BatchOptions<Request, Answer, Refused>) => {
  type Member = Waiting<Request, Answer, Refused>;
  /** The requests that wait, of each group whose batch is being carried out. */
  const groups = new Map<string, Member[]>();

  const takeBatch = (waiting: Member[]): readonly Member[] => {
    const joined: Request[] = [];
    for (const { request } of waiting) {
      if (joined.length === most || (joined.length > 0 && !mayJoin(joined, request))) break;
      joined.push(request);
    }
    return waiting.splice(0, joined.length);
  };
  const answerBatch = (batch: readonly Member[]): Effect.Effect<void> =>
    Effect.suspend(() => carryOut(batch.map(({ request }) => request))).pipe(
      Effect.flatMap((answers) =>
        Effect.sync(() => {
          for (const [n, { answer }] of batch.entries()) answer(answers[n]!);
        }),
      ),
      Effect.catch((refused) => (batch.length > 1 ? answerEach(batch) : Effect.fail(refused))),
      Effect.catchDefect((defect) =>
        batch.length > 1 && !(defect instanceof Outage) ? answerEach(batch) : Effect.die(defect),
      ),
      Effect.catchCause((cause) =>
        Effect.sync(() => {
          for (const { answer } of batch) answer(Effect.failCause(cause));
        }),
      ),
    );
  const answerEach = (batch: readonly Member[]) =>
    Effect.forEach(batch, (one) => answerBatch([one]), { discard: true });
  const answerAll = (group: string, waiting: Member[]): Effect.Effect<void> =>
    Effect.suspend(() => {
      const batch = takeBatch(waiting);
      if (batch.length > 0) return Effect.andThen(answerBatch(batch), answerAll(group, waiting));
      groups.delete(group);
      return Effect.void;
    });

  return (request: Request): Effect.Effect<Answer, Refused> => {
    const group = groupOf(request);
    // Uninterruptible from here: a group whose first request ends before its fiber begins would wait without end.
    return Effect.uninterruptibleMask((restore) => {
      let answered: Effect.Effect<Answer, Refused> | null = null;
      let resume: Member["answer"] | null = null;
      const member: Member = {
        request,
        answer: (answer) => {
          answered = answer;
          resume?.(answer);
        },
      };
      const found = groups.get(group);
      const waiting = found ?? [];
      waiting.push(member);
      if (found === undefined) groups.set(group, waiting);
      // In a fiber of its own: the answers of the others must not end with this request.
      const started = found === undefined ? Effect.forkDetach(answerAll(group, waiting)) : Effect.void;
      const answer = Effect.callback<Answer, Refused>((whenAnswered) => {
        if (answered === null) resume = whenAnswered;
        else whenAnswered(answered);
      });
      const leave = Effect.sync(() => {
        const index = waiting.indexOf(member);
        if (index !== -1) waiting.splice(index, 1);
      });
      return Effect.andThen(
        started,
        Effect.onInterrupt(restore(answer), () => leave),
      );
    });
  };
};
