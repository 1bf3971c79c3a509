import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Instant } from "../../../core/shared/instant.ts";
import type { Operations, OperationsViews } from "../../../ports/views/operations-views.ts";
import type { Database } from "../database.ts";

export const operationsViews = (database: Database): OperationsViews => ({
  now: (at) => database.read(operations(at)).pipe(Effect.map((rows) => rows[0]!)),
});

const operations = (at: Instant) => (sql: Sql) =>
  sql<Operations[]>`
  select  (select count(*) from runs where status = 'queued')              as runs_queued,
          (select count(*) from runs where status = 'running')             as runs_running,
          (select count(*) from wakes where status = 'pending')            as wakes_pending,
          (select min(created_at) from wakes where status = 'pending')     as oldest_pending_wake_at,
          (select count(*) from services where lease_until >= ${at})       as services
`;
