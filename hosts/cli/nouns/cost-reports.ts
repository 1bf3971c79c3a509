import type { z } from "zod";
import { budgetLevel } from "../../../core/model/costs/budget.ts";
import type { CostSummaryShape } from "../../api/costs/cost-shapes.ts";
import { type Paper, strong } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import {
  type Column,
  columnsOf,
  type DeclaredColumn,
  list,
  type Printer,
  rowsTable,
} from "../print/printers.ts";
import { type Cell, pairs } from "../print/table.ts";
import type { Shapes } from "./shapes.ts";

const barColumns = 24;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Draws a bar of at most 24 columns, in eighths of a column; a positive part is never empty. */
const bar = (part: number, whole: number): string => {
  if (part <= 0 || whole <= 0) return "";
  const steps = Math.max(1, Math.round(Math.min(part / whole, 1) * barColumns * 8));
  return "█".repeat(Math.floor(steps / 8)) + eighths[steps % 8];
};

/** Draws how much of a budget is used; the colour marks the warning and the limit. */
const gauge = (percent: number, { colors }: Paper): Cell => {
  const paint = { used_up: colors.red, alert: colors.yellow, within: colors.green }[budgetLevel(percent)];
  const filled = bar(percent, 100);
  return { text: `${filled}${"░".repeat(barColumns - filled.length)} ${percent} %`, paint };
};

const count = (many: number): string => many.toLocaleString("en-US");

export const costSummary = (summary: z.output<typeof CostSummaryShape>, paper: Paper): string => {
  const { colors, now } = paper;
  const { forecast, budgetCents } = summary;
  const tokens = summary.inputTokens + summary.cachedInputTokens + summary.outputTokens;
  const lines: [string, Cell | null][] = [
    ["period", { text: `${summary.from.slice(0, 10)} up to ${summary.to.slice(0, 10)}` }],
    [
      "spent",
      strong(`${money(summary.spendCents)}${budgetCents === 0 ? "" : ` of ${money(budgetCents)}`}`, paper),
    ],
    ["budget", budgetCents === 0 ? { text: "no limit" } : gauge(summary.utilizationPercent, paper)],
    [
      "estimated",
      summary.pricedCents === 0 ? null : { text: `${money(summary.pricedCents)} of it, from price lists` },
    ],
    ["tokens", { text: `${count(tokens)} in ${count(summary.eventCount)} events` }],
    [
      "unknown cost",
      summary.unknownEventCount === 0
        ? null
        : {
            text: `${count(summary.unknownEventCount)} events, ${count(summary.unknownTokens)} tokens: not included in the amount spent`,
            paint: colors.yellow,
          },
    ],
    [
      "forecast",
      forecast === null
        ? null
        : { text: `${money(forecast.projectedCents)} by the end of the month, at the current pace` },
    ],
    [
      "used up",
      forecast === null || forecast.exhaustedAt === null
        ? null
        : { text: `${ago(forecast.exhaustedAt, now())}, at that pace`, paint: colors.red },
    ],
  ];
  return pairs(
    lines.filter((line): line is [string, Cell] => line[1] !== null),
    paper,
  );
};

interface Totals {
  readonly costCents: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly unknownEventCount: number;
}

type CostsShapeName =
  | "AgentCostsShape"
  | "AgentDayCostsShape"
  | "DayCostsShape"
  | "IssueCostsShape"
  | "ProjectCostsShape"
  | "ProviderCostsShape";

/** Prints rows with their costs, as figures and as bars of one scale. */
const bars = <S extends CostsShapeName>(
  shape: S,
  ...leads: readonly DeclaredColumn<z.output<Shapes[S]>>[]
): Printer =>
  list(shape, (rows, paper) => {
    const most = Math.max(...rows.map(({ costCents }) => costCents));
    const unknown: Column<Totals> = {
      title: "UNKNOWN COST",
      show: ({ unknownEventCount: events }) => (events === 0 ? "" : `${count(events)} events`),
    };
    const totals = columnsOf<Totals>(
      { field: "costCents", title: "COST" },
      {
        title: "",
        show: ({ costCents }) => ({ text: bar(costCents, most), paint: paper.colors.cyan }),
        goes: 1,
      },
      {
        title: "TOKENS",
        show: ({ inputTokens, cachedInputTokens, outputTokens }) =>
          count(inputTokens + cachedInputTokens + outputTokens),
      },
      ...(rows.some(({ unknownEventCount }) => unknownEventCount > 0) ? [unknown] : []),
    );
    return rowsTable([...columnsOf(...leads), ...totals], rows, paper);
  });

export const costLists: readonly Printer[] = [
  bars(
    "AgentCostsShape",
    { field: "agentName", title: "AGENT", strong: true, grows: true },
    { field: "budgetMonthlyCents", title: "BUDGET" },
    { field: "runCount", title: "RUNS" },
  ),
  bars(
    "ProjectCostsShape",
    {
      title: "PROJECT",
      show: ({ projectName }, paper) => strong(projectName ?? "(no project)", paper),
      grows: true,
    },
    { field: "budgetMonthlyCents", title: "BUDGET" },
  ),
  bars(
    "IssueCostsShape",
    { title: "ISSUE", show: ({ issueIdentifier }, paper) => strong(issueIdentifier ?? "(no issue)", paper) },
    { field: "issueTitle", title: "TITLE", grows: true },
    { field: "runCount", title: "RUNS" },
  ),
  bars(
    "ProviderCostsShape",
    { field: "provider", strong: true },
    { field: "model", grows: true },
    { field: "billingType", title: "BILLING" },
  ),
  bars("DayCostsShape", { field: "day", strong: true }),
  bars(
    "AgentDayCostsShape",
    { field: "day", strong: true },
    { field: "agentName", title: "AGENT", grows: true },
  ),
];
