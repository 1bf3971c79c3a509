import { type Paper, status } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { indented, section } from "../print/sections.ts";
import { type Cell, pairs } from "../print/table.ts";
import { exitOf, nextOf, outcomeOf, type RunDetail } from "./describe-run.ts";

/** Prints one run: its state or end, the reason, and the next step. */
export const runRecord = (run: RunDetail, paper: Paper): string => {
  const { colors, now } = paper;
  const lines: [string, Cell | null][] = [
    ["status", status(run.status, paper)],
    ["agent", { text: `${run.agentName}  (${run.adapterType})` }],
    ["issue", run.issueIdentifier === null ? null : { text: run.issueIdentifier }],
    [
      "woken by",
      {
        text: `${run.wakeReason}${run.wakes.length > 1 ? `, and ${run.wakes.length - 1} more that joined it` : ""}`,
      },
    ],
    ["retry of", run.retryOfRunId === null ? null : { text: run.retryOfRunId }],
    ["queued", { text: ago(run.createdAt, now()) }],
    ["started", run.startedAt === null ? null : { text: ago(run.startedAt, now()) }],
    ["finished", run.finishedAt === null ? null : { text: ago(run.finishedAt, now()) }],
    [
      "runs on",
      run.runner === null
        ? null
        : { text: [`${run.runner} (${run.reach})`, run.node ?? []].flat().join(", ") },
    ],
    [
      "process",
      run.status === "running" && run.process !== null
        ? {
            text:
              run.process.kind === "process"
                ? `pid ${run.process.name}`
                : `${run.process.kind} ${run.process.name}`,
          }
        : null,
    ],
    ["waits for", run.waitsFor === null ? null : { text: run.waitsFor, paint: colors.yellow }],
    ["program", exitOf(run) === null ? null : { text: exitOf(run) ?? "" }],
    [
      "why",
      run.error === null ? null : { text: `${run.error} (${run.errorCode ?? "unknown"})`, paint: colors.red },
    ],
    [
      "used",
      run.usage === null
        ? null
        : {
            text: `${run.usage.inputTokens} tokens in, ${run.usage.outputTokens} out, ${run.usage.cachedInputTokens} cached; ${money(run.costCents)}`,
          },
    ],
  ];
  const shown = lines.filter((line): line is [string, Cell] => line[1] !== null);
  return [
    `${colors.bold(`Run ${run.id}`)}\n${outcomeOf(run)}\n\n`,
    pairs(shown, paper),
    run.summary === null ? "" : section("summary", indented(run.summary), paper),
    run.detailsDeletedAt === null
      ? ""
      : section("events and log", indented(`Deleted ${ago(run.detailsDeletedAt, now())}.`), paper),
    run.lastOutput === null || run.lastOutput.trim() === ""
      ? ""
      : section(`last lines of ${run.logBytes} bytes of log`, indented(run.lastOutput, "  │ "), paper),
    section("next", indented(nextOf(run)), paper),
  ].join("");
};
