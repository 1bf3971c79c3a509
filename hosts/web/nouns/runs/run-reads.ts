import { isLive } from "../../../../core/model/runs/run-status.ts";
import {
  type AnswerOf,
  call,
  type Queries,
  readBefore,
  readOrTake,
  readPagesBefore,
} from "../../live/calls.ts";
import type { Run } from "../../live/records.ts";

/** How much of a long log is read at first: enough to fill a screen many times. */
const firstBytes = 32 * 1024;
/** How much is read at once from then on. */
export const partBytes = 512 * 1024;

/** The log of a run. */
export interface Log {
  readonly id: string;
  readonly logBytes: number;
  readonly isLive: boolean;
}

/** Where the part that is read first begins. */
export const beginOfEnd = ({ logBytes }: Pick<Log, "logBytes">): number => Math.max(0, logBytes - firstBytes);

const endOf = (log: Omit<Log, "isLive">) => ({
  runId: log.id,
  offset: beginOfEnd(log),
  limitBytes: partBytes,
});

/** The end of a log, usually read ahead; never that of a live run, which would lack the lines written since. */
export const readEnd = (queries: Queries, log: Log): Promise<AnswerOf<"runs.transcript">> =>
  log.isLive ? call("runs.transcript", endOf(log)) : readOrTake(queries, "runs.transcript", endOf(log));

/** Begins what a run's screen reads at first, where it isn't kept yet. */
export const readRunBefore = (queries: Queries, run: Pick<Run, "id" | "status" | "logBytes">): void => {
  void readPagesBefore(queries, "runs.messages", { runId: run.id });
  if (!isLive(run.status)) void readBefore(queries, "runs.transcript", endOf(run));
};
