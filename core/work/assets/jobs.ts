import type { Job } from "../../access/job.ts";
import type { Assets } from "./index.ts";

export const assetJobs = (assets: Pick<Assets, "sweep">): readonly Job[] => [
  { name: "deleting unreferenced files", everyMs: 60_000, sequential: true, run: assets.sweep() },
];
