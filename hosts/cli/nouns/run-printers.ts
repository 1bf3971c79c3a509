import type { z } from "zod";
import { recordsOf } from "../../../core/model/runs/log-lines.ts";
import type { LogShape } from "../../api/runs/run-shapes.ts";
import { status } from "../print/cells.ts";
import { ago, span } from "../print/format.ts";
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
    { title: "RUN", show: ({ id }) => id },
    { title: "AGENT", show: ({ agentName }) => agentName, grows: 8 },
    { title: "ISSUE", show: ({ issueIdentifier }) => issueIdentifier ?? "–" },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "WOKEN BY", show: ({ wakeReason }) => wakeReason, goes: 1 },
    { title: "STARTED", show: (row, { now }) => ago(row.startedAt ?? row.createdAt, now()), goes: 4 },
    {
      title: "TOOK",
      show: ({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null
          ? "–"
          : span(Date.parse(finishedAt) - Date.parse(startedAt)),
      goes: 3,
    },
    { title: "ERROR", show: ({ error }) => error ?? "", grows: true, goes: 2 },
  ),
  columns(
    "RunEventShape",
    { title: "SEQ", show: ({ seq }) => String(seq) },
    { title: "AT", show: ({ createdAt }) => createdAt.slice(11, 23) },
    {
      title: "LEVEL",
      show: ({ level }, { colors }) => ({
        text: level,
        paint: level === "error" ? colors.red : level === "warn" ? colors.yellow : undefined,
      }),
    },
    { title: "TYPE", show: ({ type }) => type },
    { title: "MESSAGE", show: ({ message }) => message ?? "", grows: true },
  ),
  columns(
    "RunMessageShape",
    { title: "AT", show: ({ createdAt }) => createdAt.slice(11, 19) },
    { title: "BY", show: ({ authorName }) => authorName ?? "–", grows: 8 },
    { title: "STATE", show: ({ state }) => state },
    {
      title: "DELIVERED",
      show: ({ deliveredAt }, { now }) => (deliveredAt === null ? "–" : ago(deliveredAt, now())),
    },
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
