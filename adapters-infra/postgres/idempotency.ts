import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { addSeconds, type Instant } from "../../core/model/shared/instant.ts";
import type {
  Claim,
  Completion,
  Idempotency,
  IdempotentRequest,
  Reservation,
} from "../../ports/idempotency.ts";
import type { Database } from "./database.ts";
import { json } from "./rows.ts";

/** How long a request without a recorded result counts as open. */
const leaseSec = 60;
const retentionSec = 24 * 60 * 60;

export const postgresIdempotency = (database: Database): Idempotency => ({
  reserve: (request) =>
    database.first(reserve(request)).pipe(Effect.map((held) => reservationOf(request, held))),
  complete: (claim, completion) => Effect.asVoid(database.read(complete(claim, completion))),
  abandon: (claim) => Effect.asVoid(database.read(abandon(claim))),
  sweep: (at) => Effect.asVoid(database.read(sweep(at))),
});

interface HeldKey {
  readonly isClaimed: boolean;
  readonly reservedId: string;
  readonly status: number | null;
  readonly isSameRequest: boolean;
  readonly answer: object | null;
}

/** Another request reserved the key at the same moment. */
const reservationOf = (request: IdempotentRequest, held: HeldKey | null): Reservation => {
  if (held === null) return { kind: "in_progress" };
  if (held.isClaimed) {
    const claim = { scope: request.scope, id: held.reservedId, until: leaseEnd(request.at) };
    return { kind: "reserved", claim, again: claim.id !== request.newId };
  }
  if (!held.isSameRequest) return { kind: "reused" };
  return held.status === null
    ? { kind: "in_progress" }
    : { kind: "done", id: held.reservedId, status: held.status, answer: held.answer };
};

/** A key is taken over only after its lease, so each lease ends later than the one before. */
const leaseEnd = (at: Instant): Instant => addSeconds(at, leaseSec);

/**
 * Takes the key where it is free, expired, or left by the same request without a result: then the id stays, so that
 * what that request created is found. Otherwise returns the current holder.
 */
const reserve =
  ({ scope, request, newId, at }: IdempotentRequest) =>
  (sql: Sql) =>
    sql<HeldKey[]>`
  with taken as (
    insert into idempotency_keys as held (scope, request, reserved_id, status, expires_at, lease_until)
    values (
      ${scope}, ${request}, ${newId}, null,
      ${addSeconds(at, retentionSec)}, ${leaseEnd(at)}
    )
    on conflict (scope) do update
    set       request     = excluded.request,
              reserved_id = case when held.expires_at <= ${at} then excluded.reserved_id else held.reserved_id end,
              status      = null,
              answer      = null,
              expires_at  = excluded.expires_at,
              lease_until = excluded.lease_until
    where     held.expires_at <= ${at}
    or        (held.status is null and held.lease_until <= ${at} and held.request = excluded.request)
    returning reserved_id
  )
  select  true as is_claimed, reserved_id, null::integer as status, true as is_same_request,
          null::jsonb as answer
  from    taken
  union all
  select  false, reserved_id, status, request = ${request}, answer
  from    idempotency_keys
  where   scope = ${scope}
  and     not exists (select from taken)
`;

const complete =
  (claim: Claim, { status, id, answer }: Completion) =>
  (sql: Sql) =>
    sql`
  update  idempotency_keys
  set     status      = ${status},
          reserved_id = ${id},
          answer      = ${answer === null ? null : json(sql, answer)}
  where   scope = ${claim.scope}
  and     reserved_id = ${claim.id}
`;

const abandon = (claim: Claim) => (sql: Sql) =>
  sql`
  delete from idempotency_keys
  where  scope = ${claim.scope}
  and    lease_until = ${claim.until}
  and    status is null
`;

const sweep = (at: Instant) => (sql: Sql) =>
  sql`
  delete from idempotency_keys
  where  expires_at <= ${at}
`;
