import type { z } from "zod";
import type { RunDetailShape, RunShape } from "../api/shapes.ts";
import { span } from "./words.ts";

type Run = z.output<typeof RunShape>;
export type RunDetail = z.output<typeof RunDetailShape>;

const took = ({ startedAt, finishedAt }: Run): string | null =>
  startedAt === null || finishedAt === null ? null : span(Date.parse(finishedAt) - Date.parse(startedAt));

/** How a run ended, in a sentence. */
export const verdictOf = (run: Run): string => {
  const after = took(run) === null ? "" : ` after ${took(run)}`;
  const why = run.error === null ? "" : `: ${run.error.replace(/\.$/, "")}`;
  switch (run.status) {
    case "queued":
      return "The run waits to be started.";
    case "running":
      return run.stopRequestedAt === null ? "The run is under way." : "The run is being stopped.";
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

/** How its program left: null where nothing ran. */
export const exitOf = ({ exitCode, signal }: Run): string | null =>
  signal !== null ? `ended by ${signal}` : exitCode !== null ? `exit code ${exitCode}` : null;

/** What happens now without anybody's doing, and what one can do. */
export const nextOf = (run: Run): string => {
  const again = `\`boardroom agents invoke ${run.agentId}${run.issueIdentifier === null ? "" : ` --issue-id ${run.issueIdentifier}`}\``;
  switch (run.status) {
    case "queued":
      return `It starts as soon as its agent has a free slot. \`boardroom runs follow ${run.id}\` watches it.`;
    case "running":
      return `\`boardroom runs follow ${run.id}\` watches it, \`boardroom runs cancel ${run.id}\` stops it.`;
    case "succeeded":
      return run.issueIdentifier === null
        ? "Nothing more; the agent waits to be woken."
        : `\`boardroom issues comments ${run.issueIdentifier}\` shows what came of it.`;
    case "timed_out":
      return `An issue left in progress is taken up once more. Give it longer with timeoutSec in the adapter's configuration, or wake it again: ${again}.`;
    case "failed":
      return `An issue left in progress is taken up once more, then it counts as stalled. When the cause is mended: ${again}.`;
    case "cancelled":
      return `It is not tried again by itself. ${again} wakes the agent.`;
    case "interrupted":
      return run.error?.includes("not tried again")
        ? `${again} wakes the agent.`
        : "It is taken up once more by itself; `boardroom runs list` shows the new run.";
  }
};
