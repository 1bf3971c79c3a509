import type { z } from "zod";
import { recordsOf } from "../../../core/model/runs/log-lines.ts";
import type { LogShape } from "../../api/runs/run-shapes.ts";
import { span } from "../print/format.ts";
import { columns, type Printer, record } from "../print/printers.ts";
import { harmlessOutput, type Terminal } from "../terminal.ts";
import { runRecord } from "./run-record.ts";
import { transcriptReport } from "./transcript-report.ts";

/** Prints what a run's programs wrote, as they wrote it. */
const logReport = (
  { content, nextOffset }: z.output<typeof LogShape>,
  { colors }: Pick<Terminal, "colors">,
): string => {
  if (content === "") return "";
  const text = recordsOf(content)
    .map(({ stream, chunk }) =>
      stream === "stdout" ? harmlessOutput(chunk) : colors.red(harmlessOutput(chunk)),
    )
    .join("");
  return `${text.endsWith("\n") ? text : `${text}\n`}${colors.dim(`What follows: --offset ${nextOffset}`)}\n`;
};

export const runPrinters: readonly Printer[] = [
  columns(
    "RunShape",
    { field: "id", title: "RUN" },
    { field: "agentName", title: "AGENT", grows: 8 },
    { field: "issueIdentifier", title: "ISSUE" },
    "status",
    { field: "wakeReason", title: "WOKEN BY", goes: 1 },
    { field: ["startedAt", "createdAt"], goes: 4 },
    {
      title: "TOOK",
      show: ({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null
          ? "–"
          : span(Date.parse(finishedAt) - Date.parse(startedAt)),
      goes: 3,
    },
    { field: "error", goes: 2 },
  ),
  columns(
    "RunEventShape",
    "seq",
    { title: "AT", show: ({ createdAt }) => createdAt.slice(11, 23) },
    "level",
    "type",
    "message",
  ),
  columns(
    "RunMessageShape",
    { title: "AT", show: ({ createdAt }) => createdAt.slice(11, 19) },
    { field: "authorName", title: "BY", grows: 8 },
    "state",
    "deliveredAt",
    { title: "MESSAGE", show: ({ body, commentId }) => body ?? `comment ${commentId}`, grows: true },
  ),
  record("RunDetailShape", runRecord),
  record("InvocationShape", ({ id, status: state }) =>
    id === null
      ? state === "deferred"
        ? "A run of this agent on this issue is running; the wake becomes the next run.\n"
        : `The wake was not followed: ${state}.\n`
      : `Run ${id} is ${state}. \`boardroom runs follow ${id}\` watches it.\n`,
  ),
  record("LogShape", logReport),
  record("TranscriptShape", transcriptReport),
];
