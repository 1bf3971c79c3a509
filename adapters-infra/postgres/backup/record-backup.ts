import type { GoodBackup } from "../../../core/model/backups/backup-schedule.ts";
import { unboundedConnection } from "../unbounded-connection.ts";

/**
 * Records the last backup that the command has made, so that the service does not take the installation for one without. A
 * database that takes no writes keeps no record, and the backup is still good.
 */
export const recordBackup = async (url: string, backup: GoodBackup): Promise<void> => {
  const sql = unboundedConnection(url);
  try {
    await sql`
      insert into instance_settings (name, value)
      values ('manual_backup', ${sql.json({ ...backup })})
      on conflict (name) do update
      set         value = excluded.value
    `;
  } catch {
    // The file is what counts.
  } finally {
    await sql.end({ timeout: 0 });
  }
};
