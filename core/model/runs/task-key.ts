import type { Run } from "./run.ts";

/** The key of a session: one per task; runs without an issue share one. */
export const taskKeyOf = (run: Pick<Run, "issueId">): string => run.issueId ?? "__heartbeat__";
