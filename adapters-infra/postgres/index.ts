import type { Sql } from "postgres";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import { databaseOf } from "./database.ts";
import { postgresIdempotency } from "./idempotency.ts";
import { postgresTransactor } from "./transactor.ts";
import { postgresViews } from "./views/index.ts";
import { postgresWorkSignals } from "./work-signals.ts";

export interface PostgresAdapters {
  readonly transactor: Transactor;
  readonly views: Views;
  readonly idempotency: Idempotency;
  readonly signals: WorkSignals;
}

/** The ports of storage, on one pool that `openDatabase` made. */
export const postgresAdapters = (sql: Sql): PostgresAdapters => {
  const database = databaseOf(sql);
  return {
    transactor: postgresTransactor(database),
    views: postgresViews(database),
    idempotency: postgresIdempotency(database),
    signals: postgresWorkSignals(sql),
  };
};
