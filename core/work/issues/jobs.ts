import * as Effect from "effect/Effect";
import type { Job } from "../../access/job.ts";
import type { Issues } from "./index.ts";

export const issueJobs = (issues: Pick<Issues, "applyVerdicts">): readonly Job[] => [
  {
    // The end of a command applies its verdict itself.
    name: "applying the verdicts on gates",
    everyMs: 20_000,
    sequential: true,
    run: Effect.suspend(() => issues.applyVerdicts()),
  },
];
