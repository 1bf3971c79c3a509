import type { Run } from "./run.ts";

/** Sessions are kept per task; runs without an issue share one. */
export const taskKeyOf = (run: Pick<Run, "issueId">): string => run.issueId ?? "__heartbeat__";
