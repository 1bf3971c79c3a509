import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { ScheduledBackups } from "../../../core/model/backups/backup-schedule.ts";
import type { Restored } from "../../../core/model/runs/restored.ts";
import type { ServiceId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Service, ServiceStore, ServiceVolume } from "../../../ports/stores/service-store.ts";
import { json } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { beginDiskUse, measureDisk, saveDiskUse } from "./disk-use.ts";

export const serviceStore = (tx: Statements): ServiceStore => ({
  keep: (service, volume, leaseSec) =>
    Effect.gen(function* () {
      yield* tx.write(forgetLongGone);
      const renewed = yield* tx.first(renewService(service, volume, leaseSec));
      // Before the service's own volume: services that start together lock all of them in one order.
      if (renewed?.punctual !== true) yield* tx.write(waitAnew(service.id, leaseSec + volume.termSec));
      yield* tx.write(renewVolume(volume, leaseSec));
      yield* tx.write(forgetUnusedVolumes);
      return renewed?.renewedBefore ?? null;
    }),
  remove: (id) => tx.write(removeService(id)),
  holding: (volume) => tx.read(servicesHolding(volume)),
  findVolume: (id) => tx.first(findVolume(id)),
  restored: () => tx.first(restored(false)),
  lockRestored: () => tx.first(restored(true)),
  release: (at) => tx.write(release(at)),
  lockBackups: () =>
    Effect.gen(function* () {
      yield* tx.write(beginBackups);
      return (yield* tx.first(lockBackups))?.value ?? null;
    }),
  saveBackups: (backups) => tx.write(saveBackups(backups)),
  beginDiskUse: (at, before) => Effect.map(tx.first(beginDiskUse(at, before)), (row) => row !== null),
  measureDisk: () => measureDisk(tx),
  saveDiskUse: (use) => tx.write(saveDiskUse(use)),
  isLive: (id) => Effect.map(tx.first(liveService(id)), (row) => row !== null),
  onHost: (host) => tx.read(servicesOn(host)),
});

/** Their runs were taken over long ago. */
const forgetLongGone = (sql: Sql) => sql`
  delete from services
  where  lease_until < now() - interval '1 hour'
`;

/** Of machines that are gone, or of containers with a disk of their own. */
const forgetUnusedVolumes = (sql: Sql) => sql`
  delete from volumes
  where  id = any(array(
           select  id
           from    volumes
           where   abandoned_at < now() - interval '1 hour'
           and     not exists (select from agents where agents.volume = volumes.id and lifecycle_state <> 'terminated')
           for     update skip locked
         ))
`;

const renewVolume = (volume: ServiceVolume, leaseSec: number) => (sql: Sql) =>
  sql`
  insert into volumes (id, host, seen_at, abandoned_at)
  values (${volume.id}, ${volume.host}, now(), now() + make_interval(secs => ${leaseSec + volume.termSec}))
  on conflict (id) do update
  set host        = excluded.host,
      seen_at     = excluded.seen_at,
      abandoned_at = greatest(volumes.abandoned_at, excluded.abandoned_at)
`;

/** No service was there, or not the database: that says nothing about a volume. */
const waitAnew = (id: ServiceId, termSec: number) => (sql: Sql) =>
  sql`
  with away as (
    select    id
    from      volumes
    where     not exists (select from services where services.id <> ${id} and lease_until >= now())
    order by  id
    for       no key update
  )
  update  volumes
  set     abandoned_at = greatest(abandoned_at, now() + make_interval(secs => ${termSec}))
  from    away
  where   volumes.id = away.id
`;

const renewService = (service: Service, volume: ServiceVolume, leaseSec: number) => (sql: Sql) =>
  sql<{ punctual: boolean | null; renewedBefore: Instant | null }[]>`
  with before as (
    select  lease_until >= now()                               as punctual,
            lease_until - make_interval(secs => ${leaseSec}) as renewed_before
    from    services
    where   id = ${service.id}
  )
  insert into services (
    id, host, pid, process_started_at, scopes, role, volume, started_at, lease_until, handover_folders, handover_sec
  )
  values (
    ${service.id}, ${service.host}, ${service.pid}, ${service.processStartedAt}, ${service.scopes},
    ${service.role}, ${volume.id}, ${service.startedAt}, now() + make_interval(secs => ${leaseSec}),
    ${service.handoverFolders}, ${service.handoverSec}
  )
  on conflict (id) do update
  set lease_until      = excluded.lease_until,
      scopes           = excluded.scopes,
      handover_folders = excluded.handover_folders
  returning (select punctual from before)       as punctual,
            (select renewed_before from before) as renewed_before
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

const servicesHolding = (volume: VolumeId) => (sql: Sql) =>
  sql<Pick<Service, "id" | "host">[]>`
  select    id, host
  from      services
  where     volume = ${volume}
  and       lease_until >= now()
  order by  id
`;

const findVolume = (id: VolumeId) => (sql: Sql) =>
  sql<Pick<ServiceVolume, "id" | "host">[]>`
  select  id, host
  from    volumes
  where   id = ${id}
`;

const restored = (lock: boolean) => (sql: Sql) =>
  sql<Restored[]>`
  select  value ->> 'heldSince'  as held_since,
          value ->> 'releasedAt' as released_at
  from    instance_settings
  where   name = 'restored'
  ${lock ? sql`for update` : sql``}
`;

const release = (at: Instant) => (sql: Sql) =>
  sql`
  with released as (
    update    instance_settings
    set       value = value || jsonb_build_object('releasedAt', ${at}::text)
    where     name = 'restored'
    returning name
  )
  select pg_notify('boardroom_work', '')
  from   released
`;

/** So that there is a row to lock. */
const beginBackups = (sql: Sql) => sql`
  insert into instance_settings (name, value)
  values ('backups', 'null')
  on conflict (name) do nothing
`;

const lockBackups = (sql: Sql) => sql<{ value: ScheduledBackups | null }[]>`
  select  value
  from    instance_settings
  where   name = 'backups'
  for     update
`;

const saveBackups = (backups: ScheduledBackups) => (sql: Sql) =>
  sql`
  update  instance_settings
  set     value = ${json(sql, backups)}
  where   name = 'backups'
`;

const liveService = (id: ServiceId) => (sql: Sql) =>
  sql`
  select  id
  from    services
  where   id = ${id}
  and     lease_until >= now()
`;

const servicesOn = (host: string) => (sql: Sql) =>
  sql<Service[]>`
  select    id, host, pid, process_started_at, scopes, role, started_at, handover_folders, handover_sec
  from      services
  where     host = ${host}
  order by  id
`;
