import { backupTaker } from "../backup/backup-taker.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { T } from "./tokens.ts";

export const bindBackup = (bind: Bind, { config, databaseUrl }: Foundations): void => {
  bind(T.backupTaker).toConstantValue(backupTaker({ ...config, databaseUrl }));
  bind(T.backupSchedule).toConstantValue(config.backup);
};
