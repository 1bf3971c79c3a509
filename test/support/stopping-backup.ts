import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import { z } from "zod";
import { backupTaker } from "../../adapters-infra/backup/backup-taker.ts";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { migrate, shipped } from "../../adapters-infra/postgres/migrate.ts";
import { takeDueBackup } from "../../core/backups/take-due-backup.ts";
import type { ServiceId } from "../../core/model/shared/ids.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { backups } from "../../hosts/composition/wiring/backup.ts";
import { companyMoves } from "../../hosts/composition/wiring/company-move.ts";
import { installationOf } from "../../hosts/composition/wiring/installation.ts";

/**
 * A backup, scheduled or not, a restore, a rollback, a migration or a move of a company that suspends itself when it first
 * reaches a stage, a migration at a sentence that has that text. `MIGRATIONS` makes it a later version. Built by
 * `stopping-program.ts`.
 */
const {
  STOP_AT,
  WORK,
  FILE = "",
  COMPANY = "",
  MIGRATIONS,
} = z
  .object({
    STOP_AT: z.string(),
    WORK: z.enum(["backup", "scheduled", "restore", "rollback", "migrate", "export", "import"]),
    COMPANY: z.string().optional(),
    FILE: z.string().optional(),
    MIGRATIONS: z.string().optional(),
  })
  .parse(process.env);
if (MIGRATIONS !== undefined) shipped.folder = pathToFileURL(`${MIGRATIONS}/`);
let isPassed = false;
const stopAt = (isHere: boolean) => {
  if (!isHere || isPassed) return;
  isPassed = true;
  process.kill(process.pid, "SIGSTOP");
};
const onProgress = ({ stage }: { readonly stage: string }) => stopAt(stage === STOP_AT);
const config = readConfig(process.env);
const work = {
  backup: () =>
    backups.make(config, {
      ...{ kind: "manual", passphrase: null, withKey: false, encrypt: false },
      withWorkspaces: true,
      to: FILE,
      onProgress,
    }),
  scheduled: async () => {
    const databaseUrl = config.databaseUrl!;
    const sql = openDatabase(databaseUrl, { max: 2, idleInTransactionSec: 60 });
    const { transactor, views } = postgresAdapters(sql, systemClock);
    const taker = backupTaker(
      installationOf(config),
      config.backup ?? { to: "", passphraseFile: null },
      onProgress,
    );
    const take = takeDueBackup(
      { transactor, clock: systemClock, ids: uuidIds },
      views,
      cronerCalendar(),
      taker,
      config.backup,
    );
    await Effect.runPromise(take(randomUUID() as ServiceId));
    await sql.end();
  },
  restore: () => backups.restore(config, { path: FILE, passphrase: null, onProgress }),
  rollback: () => backups.rollBack(config, onProgress),
  export: () => companyMoves.export(config, { company: COMPANY, to: FILE, passphrase: null, onProgress }),
  import: () =>
    companyMoves.import(config, {
      ...{ path: FILE, passphrase: null, dryRun: false },
      name: COMPANY,
      onProgress,
    }),
  migrate: () =>
    Effect.runPromise(
      migrate(config.databaseUrl!, { say: (sentence) => stopAt(sentence.includes(STOP_AT)) }),
    ),
};
await work[WORK]();
