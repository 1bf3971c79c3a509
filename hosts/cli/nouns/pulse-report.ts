import type { z } from "zod";
import type { PulseShape } from "../../api/companies/company-shapes.ts";
import { type Paper, status } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { columnsOf, rowsTable } from "../print/printers.ts";
import { section } from "../print/sections.ts";
import { type Cell, pairs } from "../print/table.ts";

const agentColumns = columnsOf<z.output<typeof PulseShape>["agents"][number]>(
  { field: "name", title: "AGENT" },
  "status",
  {
    title: "SINCE",
    show: ({ currentRun }, { now }) => (currentRun === null ? "" : ago(currentRun.startedAt, now())),
  },
  {
    title: "WORKS ON, OR WHY NOT",
    show: ({ currentRun, situation }) => {
      if (currentRun === null) return situation.sentence;
      const { issueIdentifier, issueTitle, wakeReason } = currentRun;
      return issueIdentifier === null ? wakeReason : `${issueIdentifier} ${issueTitle}`;
    },
    grows: true,
  },
);

/** The present work of each agent, today's failures, and the cost. */
export const pulseReport = (pulse: z.output<typeof PulseShape>, paper: Paper): string => {
  const { spend, failed } = pulse;
  const lines: [string, Cell][] = [
    ["company", status(pulse.status, paper)],
    ["running", { text: String(pulse.running.count) }],
    ["queued", { text: String(pulse.queued.count) }],
    ["waiting", { text: String(pulse.waiting.count) }],
    ["interrupted today", { text: String(pulse.interrupted.count) }],
    ["failed today", { text: String(failed.count) }],
    ["spent today", { text: money(spend.todayCents) }],
    [
      "this month",
      {
        text: `${money(spend.monthCents)}${spend.budgetCents === 0 ? "" : ` of ${money(spend.budgetCents)}`}`,
      },
    ],
  ];
  return `${pairs(lines, paper)}${section("agents", rowsTable(agentColumns, pulse.agents, paper), paper)}`;
};
