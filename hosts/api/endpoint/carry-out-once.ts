import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import type { AgentCaller, BoardCaller } from "../../../core/model/access/caller.ts";
import { IdempotencyKeyReused, refusal } from "../../../core/model/shared/failure.ts";
import type { App } from "./app.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { paramNames } from "./params.ts";

export class IdempotencyInProgress extends refusal(
  "idempotency_in_progress",
  "conflict",
  "A request under that Idempotency-Key is still being carried out. Try again in a moment.",
) {}

export class IdempotencyResultNotRepeatable extends refusal(
  "idempotency_result_not_repeatable",
  "conflict",
  "The first answer showed a secret that is not kept, so it cannot be shown again.",
) {}

/** Replaces secrets by keyed digests, so that requests which differ only in a secret differ. */
function withSecrets(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const given = this[key];
  return Redacted.isRedacted(given) ? Redacted.value(given) : value;
}

export interface KeyedRequest {
  /** The endpoint's, such as `issues.create`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  readonly call: Omit<Call<BoardCaller | AgentCaller>, "newId">;
  readonly key: string;
}

/** The answer and, for a repetition, the status of the first answer. */
export interface Once {
  readonly made: unknown;
  readonly status: number | null;
}

/**
 * Carries a request out at most once under its Idempotency-Key. It reserves the id of the new record first, which
 * identifies a request that died between its commit and its answer.
 */
export const carryOutOnce = Effect.fnUntraced(function* (
  app: App,
  { name, endpoint, input, call, key }: KeyedRequest,
) {
  const { caller } = call;
  const who = caller.kind === "agent" ? caller.agentId : caller.userId;
  const params = paramNames(endpoint.path).map((param) => String(input[param]));
  const reservation = yield* app.idempotency.reserve({
    scope: app.credentials.fingerprint(["idempotency", caller.kind, who, name, ...params, key]),
    request: app.credentials.fingerprint([JSON.stringify(input, withSecrets)]),
    newId: app.ids.newId<string>(),
    at: app.clock.now(),
  });
  if (reservation.kind === "reused") return yield* Effect.fail(new IdempotencyKeyReused());
  if (reservation.kind === "in_progress") return yield* Effect.fail(new IdempotencyInProgress());

  const id = reservation.kind === "done" ? reservation.id : reservation.claim.id;
  const withId: Call<BoardCaller | AgentCaller> = { ...call, newId: () => id as never };
  const { keeps = null, showsSecret = false } = endpoint.creates ?? {};
  const notRepeatable = Effect.fail(new IdempotencyResultNotRepeatable({ id }));
  const showAgain = endpoint.again?.(app, id, withId, input) ?? notRepeatable;
  const again =
    showsSecret || keeps !== null
      ? notRepeatable
      : Effect.map(showAgain, (made) => endpoint.returns.parse(made));
  if (reservation.kind === "done") {
    const made = reservation.answer === null ? yield* again : endpoint.returns.parse(reservation.answer);
    return { made, status: reservation.status } satisfies Once;
  }

  const { claim } = reservation;
  const wasMade = reservation.again && Exit.isSuccess(yield* Effect.exit(showAgain));
  if (wasMade) {
    yield* app.idempotency.complete(claim, { status: endpoint.status, id, answer: null });
    return { made: yield* again, status: null } satisfies Once;
  }
  const made = yield* endpoint
    .run(app, input, withId)
    .pipe(Effect.tapError(() => app.idempotency.abandon(claim)));
  const answer = keeps?.(made) ? (endpoint.returns.parse(made) as object) : null;
  yield* app.idempotency.complete(claim, {
    status: endpoint.status,
    id: endpoint.idOf?.(made) ?? id,
    answer,
  });
  return { made, status: null } satisfies Once;
});
