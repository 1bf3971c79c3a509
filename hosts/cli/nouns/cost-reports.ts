import type { z } from "zod";
import { budgetLevel } from "../../../core/model/costs/budget.ts";
import type {
  AgentCostsShape,
  AgentDayCostsShape,
  CostSummaryShape,
  DayCostsShape,
  IssueCostsShape,
  ProjectCostsShape,
  ProviderCostsShape,
} from "../../api/costs/cost-shapes.ts";
import { type Paper, strong } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { type Cell, pairs, table } from "../print/table.ts";

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

interface Lead<R> {
  readonly title: string;
  readonly show: (row: R) => string;
  readonly grows?: true;
}

/** Prints rows with their costs, as figures and as bars of one scale. */
const bars =
  <R extends Totals>(...leads: readonly Lead<R>[]) =>
  (rows: readonly R[], paper: Paper): string => {
    const most = Math.max(...rows.map(({ costCents }) => costCents));
    const anyUnknown = rows.some(({ unknownEventCount }) => unknownEventCount > 0);
    return table(
      [
        ...leads,
        { title: "COST" },
        { title: "", goes: 1 },
        { title: "TOKENS" },
        ...(anyUnknown ? [{ title: "UNKNOWN COST" }] : []),
      ],
      rows.map((row) => [
        ...leads.map(({ show }, at) => (at === 0 ? strong(show(row), paper) : { text: show(row) })),
        { text: money(row.costCents) },
        { text: bar(row.costCents, most), paint: paper.colors.cyan },
        { text: count(row.inputTokens + row.cachedInputTokens + row.outputTokens) },
        ...(anyUnknown
          ? [{ text: row.unknownEventCount === 0 ? "" : `${count(row.unknownEventCount)} events` }]
          : []),
      ]),
      paper,
    );
  };

export const agentCosts = bars<z.output<typeof AgentCostsShape>>(
  { title: "AGENT", show: ({ agentName }) => agentName, grows: true },
  {
    title: "BUDGET",
    show: ({ budgetMonthlyCents }) => (budgetMonthlyCents === 0 ? "–" : money(budgetMonthlyCents)),
  },
  { title: "RUNS", show: ({ runCount }) => count(runCount) },
);

export const projectCosts = bars<z.output<typeof ProjectCostsShape>>(
  { title: "PROJECT", show: ({ projectName }) => projectName ?? "(no project)", grows: true },
  {
    title: "BUDGET",
    show: ({ budgetMonthlyCents }) => (budgetMonthlyCents ? money(budgetMonthlyCents) : "–"),
  },
);

export const issueCosts = bars<z.output<typeof IssueCostsShape>>(
  { title: "ISSUE", show: ({ issueIdentifier }) => issueIdentifier ?? "(no issue)" },
  { title: "TITLE", show: ({ issueTitle }) => issueTitle ?? "", grows: true },
  { title: "RUNS", show: ({ runCount }) => count(runCount) },
);

export const providerCosts = bars<z.output<typeof ProviderCostsShape>>(
  { title: "PROVIDER", show: ({ provider }) => provider },
  { title: "MODEL", show: ({ model }) => model, grows: true },
  { title: "BILLING", show: ({ billingType }) => billingType },
);

export const agentDayCosts = bars<z.output<typeof AgentDayCostsShape>>(
  { title: "DAY", show: ({ day }) => day },
  { title: "AGENT", show: ({ agentName }) => agentName, grows: true },
);

export const dayCosts = bars<z.output<typeof DayCostsShape>>({ title: "DAY", show: ({ day }) => day });
