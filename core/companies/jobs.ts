import type { Job } from "../access/job.ts";
import type { Companies } from "./index.ts";

export const companyJobs = (companies: Pick<Companies, "measureDisk">): readonly Job[] => [
  { name: "measuring disks", everyMs: 10 * 60_000, sequential: true, run: companies.measureDisk() },
];
