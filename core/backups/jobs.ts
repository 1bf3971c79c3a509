import type { Job } from "../access/job.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import type { Backups } from "./index.ts";

export const backupJobs = (backups: Pick<Backups, "takeDue">, serviceId: ServiceId): readonly Job[] => [
  { name: "taking a scheduled backup", everyMs: 60_000, run: backups.takeDue(serviceId) },
];
