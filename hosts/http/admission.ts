import * as Effect from "effect/Effect";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import type { Caller } from "../../core/model/access/caller.ts";
import { refusal } from "../../core/model/shared/failure.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import type { Config } from "../composition/config.ts";
import { RequestQueue } from "./request-queue.ts";

export class Overloaded extends refusal(
  "overloaded",
  "upstream_unavailable",
  "The service is busy. Try again in a moment.",
) {}

export class TooManyRequests extends refusal(
  "too_many_requests",
  "too_many",
  "Too many requests. Try again after the time in Retry-After.",
) {}

export type RequestLimits = Config["requestLimits"];

/** Health and metrics are answered under any load. */
export const isLimited = ({ whenSilent, access }: Endpoint): boolean =>
  whenSilent === null && !access.metricsToken;

const windowSec = 10;

/** The maximum of Retry-After. */
const mostRetryAfterSec = 10;

/**
 * Admits requests within the limits. One per web server.
 *
 * It refuses those that come last, of people and agents alike: what has begun is carried out, and a refusal costs no
 * look at the database. What the service does by itself (the ends of runs, their stops and logs, schedules, leases) does
 * not pass here.
 */
export class Admission {
  readonly #most: number;
  readonly #mostWaitMs: number;
  readonly #rates: Readonly<Record<"caller" | "company", RateLimiterMemory | null>>;
  readonly #queue: RequestQueue;

  constructor(
    { inProgress, waitMs, perCaller, perCompany }: RequestLimits,
    now: () => number = () => performance.now(),
  ) {
    this.#most = inProgress;
    this.#mostWaitMs = waitMs === 0 ? Number.POSITIVE_INFINITY : waitMs;
    this.#queue = new RequestQueue(now);
    this.#rates = { caller: rateOf(perCaller), company: rateOf(perCompany) };
  }

  /** Counts the work as in progress until it ends, or refuses it. */
  run<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> {
    return Effect.acquireUseRelease(
      this.#enter,
      () => work,
      () => Effect.sync(() => this.#queue.leave("answered")),
    );
  }

  /** Takes the wait for a client out of the count, because slow clients must not use up the room of others. */
  outside<A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#queue.leave("for a while")),
      () => wait,
      () => Effect.sync(() => this.#queue.enter()),
    );
  }

  /** Counts a request of the caller and of its company, or refuses it. Anonymous callers have no rate: they share addresses. */
  readonly take = Effect.fnUntraced(function* (
    this: Admission,
    caller: Caller,
    companyIdOfPath: string | undefined,
  ) {
    if (caller.kind === "anyone") return;
    const [id, companyId] =
      caller.kind === "agent" ? [caller.agentId, caller.companyId] : [caller.userId, companyIdOfPath];
    yield* this.#consume("caller", id);
    if (companyId !== undefined) yield* this.#consume("company", companyId);
  });

  readonly #enter = Effect.suspend(() => {
    const waitMs = this.#queue.waitMs();
    if (this.#queue.inProgress >= this.#most || waitMs > this.#mostWaitMs) {
      // Those in progress are answered by then.
      const waitSec = Math.max(1, Math.ceil(waitMs / 1_000));
      return Effect.fail(new Overloaded({ retryAfterSec: Math.min(waitSec, mostRetryAfterSec) }));
    }
    this.#queue.enter();
    return Effect.void;
  });

  #consume(limit: "caller" | "company", key: string): Effect.Effect<unknown, TooManyRequests> {
    const rate = this.#rates[limit];
    if (rate === null) return Effect.void;
    return Effect.tryPromise({
      try: () => rate.consume(key),
      catch: (refused) => {
        const retryAfterSec = Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000);
        return new TooManyRequests({ limit, retryAfterSec });
      },
    });
  }
}

const rateOf = (perSec: number): RateLimiterMemory | null =>
  perSec === 0 ? null : new RateLimiterMemory({ points: perSec * windowSec, duration: windowSec });
