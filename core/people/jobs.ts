import * as Effect from "effect/Effect";
import type { Job } from "../access/job.ts";
import type { Access } from "./index.ts";

export const peopleJobs = (access: Pick<Access, "readGroups">): readonly Job[] => [
  {
    name: "reading the groups of people",
    everyMs: 5_000,
    sequential: true,
    run: Effect.suspend(() => access.readGroups()),
  },
];
