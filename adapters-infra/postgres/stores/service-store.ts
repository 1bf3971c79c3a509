import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { ServiceId } from "../../../core/shared/ids.ts";
import type { Service, ServiceStore } from "../../../ports/stores/service-store.ts";
import type { Statements } from "../transaction.ts";

export const serviceStore = (tx: Statements): ServiceStore => ({
  keep: (service, leaseSec) =>
    tx.write(forgetLongGone).pipe(
      Effect.andThen(tx.first(keepService(service, leaseSec))),
      Effect.map((kept) => kept?.punctual === true),
    ),
  remove: (id) => tx.write(removeService(id)),
  onHost: (host) => tx.read(servicesOn(host)),
});

/** Their runs were taken over long ago. */
const forgetLongGone = (sql: Sql) => sql`
  delete from services
  where  lease_until < now() - interval '1 hour'
`;

const keepService = (service: Service, leaseSec: number) => (sql: Sql) =>
  sql<{ punctual: boolean | null }[]>`
  with before as (
    select  lease_until
    from    services
    where   id = ${service.id}
  )
  insert into services (id, host, pid, process_started_at, reaches, role, started_at, lease_until)
  values (
    ${service.id}, ${service.host}, ${service.pid}, ${service.processStartedAt}, ${service.reaches},
    ${service.role}, ${service.startedAt}, now() + make_interval(secs => ${leaseSec})
  )
  on conflict (id) do update
  set lease_until = excluded.lease_until,
      reaches     = excluded.reaches
  returning (select lease_until >= now() from before) as punctual
`;

/** Touches its live runs, so that they show since when supervision is missing. */
const removeService = (id: ServiceId) => (sql: Sql) =>
  sql`
  with removed as (
    delete from services
    where  id = ${id}
  ),
  left_behind as (
    select    id
    from      runs
    where     service_id = ${id}
    and       status = 'running'
    order by  id
    for       no key update
    skip      locked
  )
  update  runs
  set     updated_at = now()
  from    left_behind
  where   runs.id = left_behind.id
`;

const servicesOn = (host: string) => (sql: Sql) =>
  sql<Service[]>`
  select    id, host, pid, process_started_at, reaches, role, started_at
  from      services
  where     host = ${host}
  order by  id
`;
