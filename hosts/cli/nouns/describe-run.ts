import type { z } from "zod";
import { clause } from "../../../core/model/shared/sentence.ts";
import type { RunDetailShape, RunShape } from "../../api/runs/run-shapes.ts";
import { span } from "../print/format.ts";

type Run = z.output<typeof RunShape>;
export type RunDetail = z.output<typeof RunDetailShape>;

const took = ({ startedAt, finishedAt }: Run): string | null =>
  startedAt === null || finishedAt === null ? null : span(Date.parse(finishedAt) - Date.parse(startedAt));

/** Says in a sentence how a run ended or stands. */
export const outcomeOf = (run: Run): string => {
  const after = took(run) === null ? "" : ` after ${took(run)}`;
  const why = run.error === null ? "" : `: ${clause(run.error)}`;
  switch (run.status) {
    case "queued":
      return "The run waits to be started.";
    case "running":
      return run.stopRequestedAt === null ? "The run is running." : "The run is being stopped.";
    case "succeeded":
      return `The run succeeded${after}.`;
    case "failed":
      return `The run failed${after}${why}.`;
    case "timed_out":
      return `The run timed out${after}${why}.`;
    case "cancelled":
      return `The run was cancelled${after}${run.stopReason === "cancelled" ? "" : why}.`;
    case "interrupted":
      return `The run was interrupted${after}${why}.`;
  }
};

/** Says how the program of a run ended; null where none ran. */
export const exitOf = ({ exitCode, signal }: Run): string | null =>
  signal !== null ? `ended by ${signal}` : exitCode !== null ? `exit code ${exitCode}` : null;

/** Says what the service does next by itself, and what the reader can do. */
export const nextOf = (run: RunDetail): string =>
  [run.whatNext, hint(run)].filter((line) => line !== null).join("\n");

/** Commands that the service would not refuse now; null: none. */
const hint = (run: RunDetail): string | null => {
  const { id, callerMay, issueIdentifier } = run;
  const stop = callerMay.cancel.allowed ? `, \`boardroom runs cancel ${id}\` stops it` : "";
  const again = callerMay.retry.allowed
    ? `\`boardroom runs retry ${id}\` tries it again.`
    : callerMay.invoke.allowed
      ? `\`boardroom agents invoke ${run.agentId}${issueIdentifier === null ? "" : ` --issue-id ${issueIdentifier}`}\` wakes the agent again.`
      : null;
  switch (run.status) {
    case "queued":
      return `\`boardroom runs follow ${id}\` watches it.`;
    case "running":
      return `\`boardroom runs follow ${id}\` watches it${stop}.`;
    case "succeeded":
      return issueIdentifier === null
        ? null
        : `\`boardroom issues comments ${issueIdentifier}\` shows the result.`;
    case "timed_out":
      return ["Give it longer with timeoutSec in the adapter's configuration.", again]
        .filter((line) => line !== null)
        .join(" ");
    case "failed":
    case "cancelled":
    case "interrupted":
      return again;
  }
};
