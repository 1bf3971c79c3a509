import type { z } from "zod";
import type { PulseShape } from "../../api/companies/company-shapes.ts";
import { type Paper, status, strong } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { section } from "../print/sections.ts";
import { type Cell, pairs, table } from "../print/table.ts";

/** The present work of each agent, today's failures, and the cost. */
export const pulseReport = (pulse: z.output<typeof PulseShape>, paper: Paper): string => {
  const { now } = paper;
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
  const agents = table(
    [
      { title: "AGENT" },
      { title: "STATUS" },
      { title: "SINCE" },
      { title: "WORKS ON, OR WHY NOT", grows: true },
    ],
    pulse.agents.map(({ name, status: state, currentRun, situation }) => [
      strong(name, paper),
      status(state, paper),
      { text: currentRun === null ? "" : ago(currentRun.startedAt, now()) },
      {
        text:
          currentRun === null
            ? situation.sentence
            : currentRun.issueIdentifier === null
              ? currentRun.wakeReason
              : `${currentRun.issueIdentifier} ${currentRun.issueTitle}`,
      },
    ]),
    paper,
  );
  return `${pairs(lines, paper)}${section("agents", agents, paper)}`;
};
