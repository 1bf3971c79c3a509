import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { VolumeDetailView, VolumeViews } from "../../../ports/views/volume-views.ts";
import type { Database } from "../database.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { isReachable } from "../volumes.ts";

export const volumeViews = (database: Database): VolumeViews => ({
  list: () =>
    database.read(listVolumes).pipe(
      Effect.map((rows) =>
        rows.map(({ serviceRows, ...volume }) => ({
          ...volume,
          services: serviceRows.map(serviceOf),
        })),
      ),
    ),
});

const serviceOf = fromJsonRow<VolumeDetailView["services"][number]>({ startedAt: true });

interface VolumeRow extends Omit<VolumeDetailView, "services"> {
  readonly serviceRows: readonly JsonRow[];
}

const listVolumes = (sql: Sql) =>
  sql<VolumeRow[]>`
  select    volume.id as volume, volume.host, ${isReachable(sql)} as reachable, volume.seen_at as last_seen_at,
            case when not ${isReachable(sql)} then volume.abandoned_at end as given_up_at,
            (
              select  coalesce(
                        jsonb_agg(
                          jsonb_build_object(
                            'id', service.id, 'host', service.host, 'role', service.role,
                            'started_at', service.started_at
                          )
                          order by service.started_at, service.id
                        ),
                        '[]'
                      )
              from    services service
              where   service.volume = volume.id
              and     service.lease_until >= now()
            ) as service_rows,
            coalesce(belonging.agents, 0) as agents,
            (select count(*) from runs where runs.volume = volume.id and status = 'running') as runs_running
  from      volumes volume
  left join (
              select    volume, count(*) as agents
              from      agents
              where     lifecycle_state <> 'terminated'
              and       volume is not null
              group by  volume
            ) as belonging on belonging.volume = volume.id
  order by  volume.host, volume.id
`;
