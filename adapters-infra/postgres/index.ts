import type { Sql } from "postgres";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import { databaseOf } from "./database.ts";
import { postgresIdempotency } from "./idempotency.ts";
import { runLogs } from "./run-logs.ts";
import { postgresTransactor } from "./transactor.ts";
import { postgresViews } from "./views/index.ts";
import { postgresWorkSignals } from "./work-signals.ts";

export interface PostgresAdapters {
  readonly transactor: Transactor;
  readonly views: Views;
  readonly idempotency: Idempotency;
  readonly signals: WorkSignals;
  /** Creates run logs: contents in a blob store, segments in the database; keeps at most `maxBytes` per run. */
  readonly runLogs: (blobs: BlobStore, maxBytes?: number) => RunLogs;
}

/** Builds the storage ports on one pool from `openDatabase`. */
export const postgresAdapters = (sql: Sql, clock: Clock): PostgresAdapters => {
  const database = databaseOf(sql);
  const views = postgresViews(database, clock);
  return {
    transactor: postgresTransactor(database),
    views,
    idempotency: postgresIdempotency(database),
    signals: postgresWorkSignals(sql, database.news),
    runLogs: (blobs, maxBytes) => runLogs(database, blobs, views.runs, maxBytes),
  };
};
