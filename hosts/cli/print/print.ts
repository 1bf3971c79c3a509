import { z } from "zod";
import { DetectedModelShape } from "../../api/adapters.ts";
import { OrgNode, type OrgNodeShape, SkillsShape } from "../../api/agent-shapes.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import {
  AgentCostsShape,
  ApprovalCommentShape,
  AuthorityShape,
  CostSummaryShape,
  DayCostsShape,
  ProjectCostsShape,
  ProviderCostsShape,
} from "../../api/governance-shapes.ts";
import { CommentShape } from "../../api/issue-shapes.ts";
import { InvocationShape, RunDetailShape, TranscriptShape } from "../../api/run-shapes.ts";
import { authorityReport } from "../nouns/approval-printers.ts";
import { agentCosts, costSummary, dayCosts, projectCosts, providerCosts } from "../nouns/cost-printers.ts";
import { type Paper, type Row, someone, status } from "./cells.ts";
import { type Column, columnsOf } from "./columns.ts";
import "../nouns/routine-printers.ts";
import { exitOf, nextOf, type RunDetail, verdictOf } from "../nouns/run-words.ts";
import { detectedModel, skillsReport } from "../nouns/skill-printers.ts";
import { transcriptReport } from "../nouns/transcript-report.ts";
import { harmless } from "../terminal.ts";
import { type Cell, oneLine, pairs, table } from "./table.ts";
import { ago, displayWidth, money } from "./words.ts";
import "../nouns/secret-printers.ts";

const recordPrinters = new Map<z.ZodType, (record: never, paper: Paper) => string>();

const record = <S extends z.ZodType>(
  shape: S,
  print: (record: z.output<S>, paper: Paper) => string,
): void => {
  recordPrinters.set(shape, print as (record: never, paper: Paper) => string);
};

/** Known by another name, or shown in the headline. */
const unshown = new Set(["started_at", "completed_at", "companyId", "identifier"]);

const longTexts = new Set(["description", "body", "capabilities"]);

/** Any record: its headline, its fields in two columns, its long texts below. Empty fields are left out. */
const plainRecord = (row: Row, paper: Paper, headline = headlineOf(row)): string => {
  const entries: [string, Cell][] = [];
  let below = "";
  for (const [key, value] of Object.entries(row)) {
    if (unshown.has(key) || value === null || value === undefined || key === headline.key) continue;
    if (longTexts.has(key) && typeof value === "string") {
      if (value.trim() !== "") below += section(key, indented(value), paper);
    } else if (Array.isArray(value)) {
      if (value.length > 0) entries.push([words(key), { text: listedBriefly(value.map(named)) }]);
    } else if (typeof value === "object") {
      const { body } = value as { body?: unknown };
      if (typeof body === "string") {
        below += section(key, indented(body), paper);
        continue;
      }
      const text = "id" in value ? named(value) : JSON.stringify(value, null, 2);
      if (text !== "{}") entries.push([words(key), { text }]);
    } else entries.push([words(key), cellOf(key, value, paper)]);
  }
  const head =
    headline.text === "" ? "" : `${paper.colors.bold(harmless(headline.text).replaceAll("\n", " "))}\n`;
  return `${head}${pairs(entries, paper)}${below}`;
};

const headlineOf = (row: Row): { key: string; text: string } => {
  if (typeof row.identifier === "string" && typeof row.title === "string")
    return { key: "title", text: `${row.identifier}  ${row.title}` };
  for (const key of ["title", "name"]) {
    const text = row[key];
    if (typeof text === "string") return { key, text };
  }
  return { key: "", text: "" };
};

const section = (title: string, body: string, { colors }: Paper): string =>
  `\n${colors.dim(words(title))}\n${body}`;

const indented = (text: string, by = "  "): string =>
  `${harmless(text)
    .trimEnd()
    .split("\n")
    .map((line) => `${by}${line}`)
    .join("\n")}\n`;

const knownAs: Readonly<Record<string, string>> = { createdByRunId: "in run", checkoutRunId: "held by run" };

/** `assigneeAgentId` → `assignee`, `heldSince` → `held since`. */
const words = (key: string): string =>
  knownAs[key] ??
  (key
    .replace(/(?:AgentId|UserId)$/, "")
    .replace(/Cents$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase() ||
    key);

const cellOf = (key: string, value: unknown, paper: Paper): Cell => {
  if (key === "status") return status(String(value), paper);
  if (key.endsWith("Cents") && typeof value === "number")
    return { text: key === "budgetMonthlyCents" && value === 0 ? "no limit" : money(value) };
  if (typeof value === "boolean") return { text: value ? "yes" : "no" };
  if (typeof value !== "string") return { text: String(value) };
  if (/(?:At|Since)$/.test(key)) return { text: `${ago(value, paper.now())}  (${value})` };
  const name = key === "id" ? undefined : paper.names.get(value);
  return { text: name === undefined ? value : `${name}  (${value})` };
};

/** In one line where that is short, else one a line. */
const listedBriefly = (items: readonly string[]): string => {
  const line = items.join(", ");
  return displayWidth(line) <= 60 ? line : items.join("\n");
};

const named = (item: unknown): string => {
  if (typeof item !== "object" || item === null) return String(item);
  const {
    identifier,
    name,
    title,
    key,
    status: state,
    role,
    companyId,
  } = item as Record<string, string | undefined>;
  if (companyId !== undefined && role !== undefined) return `${role} of ${companyId}`;
  if (identifier !== undefined)
    return `${identifier} ${title ?? ""}${state === undefined ? "" : ` (${state})`}`;
  if (name !== undefined && role !== undefined) return `${name} (${role})`;
  return name ?? title ?? key ?? JSON.stringify(item);
};

record(RunDetailShape, (run, paper) => runRecord(run, paper));

const runRecord = (run: RunDetail, paper: Paper): string => {
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
      "process",
      run.status === "running" && run.processPid !== null ? { text: `pid ${run.processPid}` } : null,
    ],
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
    `${colors.bold(`Run ${run.id}`)}\n${verdictOf(run)}\n\n`,
    pairs(shown, paper),
    run.summary === null ? "" : section("summary", indented(run.summary), paper),
    run.lastOutput === null || run.lastOutput.trim() === ""
      ? ""
      : section(`last lines of ${run.logBytes} bytes of log`, indented(run.lastOutput, "  │ "), paper),
    section("next", indented(nextOf(run)), paper),
  ].join("");
};

record(InvocationShape, ({ id, status: state }) =>
  id === null
    ? state === "deferred"
      ? "A run of this agent on this issue is under way; the wake becomes the run after it.\n"
      : `The wake was not followed: ${state}.\n`
    : `Run ${id} is ${state}. \`boardroom runs follow ${id}\` watches it.\n`,
);

record(AuthorityShape, authorityReport);
record(CostSummaryShape, costSummary);
record(SkillsShape, skillsReport);
record(TranscriptShape, transcriptReport);
record(DetectedModelShape, detectedModel);

const listPrinters = new Map<z.ZodType, (rows: never, paper: Paper) => string>([
  [AgentCostsShape, agentCosts],
  [ProjectCostsShape, projectCosts],
  [ProviderCostsShape, providerCosts],
  [DayCostsShape, dayCosts],
]);

const thread = (
  rows: readonly Pick<
    z.output<typeof CommentShape>,
    "authorAgentId" | "authorUserId" | "createdAt" | "body"
  >[],
  paper: Paper,
): string =>
  rows
    .map(({ authorAgentId, authorUserId, createdAt, body }) => {
      const author = authorAgentId ?? authorUserId;
      const who = author === null ? "the service" : someone(author, paper);
      return `${paper.colors.bold(oneLine(who))} ${paper.colors.dim(`· ${ago(createdAt, paper.now())}`)}\n${indented(body)}`;
    })
    .join("\n");
listPrinters.set(CommentShape, thread as (rows: never, paper: Paper) => string);
listPrinters.set(ApprovalCommentShape, thread as (rows: never, paper: Paper) => string);

const tree = (nodes: readonly OrgNodeShape[], paper: Paper, lead = ""): string =>
  nodes
    .map((node, at) => {
      const last = at === nodes.length - 1;
      const { text, paint } = status(node.status, paper);
      const line = `${lead}${lead === "" && at === 0 && last ? "" : last ? "└ " : "├ "}${paper.colors.bold(oneLine(node.name))} ${oneLine(node.title ?? node.role)} ${paint?.(text) ?? text}\n`;
      return line + tree(node.reports, paper, `${lead}${last ? "  " : "│ "}`);
    })
    .join("");
listPrinters.set(OrgNode, tree as (rows: never, paper: Paper) => string);

/** The shape of a list's rows; null where the answer is no list. */
const rowShape = (shape: z.ZodType): z.ZodType | null => {
  if (shape instanceof z.ZodReadonly) return rowShape(shape.unwrap() as z.ZodType);
  return shape instanceof z.ZodArray ? (shape.element as z.ZodType) : null;
};

/** An answer for people, in the words of its shape. */
export const print = ({ returns }: Pick<Endpoint, "returns">, answer: unknown, paper: Paper): string => {
  const row = rowShape(returns);
  if (row !== null) return printList(row, answer as readonly Row[], paper);
  const own = recordPrinters.get(returns);
  if (own !== undefined) return own(answer as never, paper);
  if (typeof answer !== "object" || answer === null) return `${harmless(String(answer))}\n`;
  const { ok, ...rest } = answer as Row;
  return ok === true && Object.keys(rest).length === 0 ? "Done.\n" : plainRecord(answer as Row, paper);
};

const printList = (shape: z.ZodType, rows: readonly Row[], paper: Paper): string => {
  if (rows.length === 0) return "";
  const own = listPrinters.get(shape);
  if (own !== undefined) return own(rows as never, paper);
  const known = columnsOf.get(shape) ?? anyColumns(rows[0] ?? {});
  return table(
    known,
    rows.map((row) =>
      known.map((column) => {
        const shown = column.show(row as never, paper);
        return typeof shown === "string" ? { text: shown } : shown;
      }),
    ),
    paper,
  );
};

/** For shapes that nobody has chosen columns for: what is short, the id last. */
const anyColumns = (row: Row): readonly Column<never>[] =>
  Object.keys(row)
    .filter(
      (key) =>
        !unshown.has(key) && !longTexts.has(key) && (row[key] === null || typeof row[key] !== "object"),
    )
    .sort((a, b) => Number(a === "id") - Number(b === "id"))
    .slice(0, 8)
    .map((key) => ({
      title: words(key).toUpperCase(),
      show: (each: Row, paper: Paper) => {
        const value = each[key];
        if (value === null || value === undefined) return "–";
        if (/(?:At|Since)$/.test(key)) return ago(String(value), paper.now());
        return cellOf(key, value, paper);
      },
      ...(["name", "title", "label"].includes(key) ? { grows: true as const } : {}),
    })) as readonly Column<never>[];

/** Ids in an answer that a person would rather see as names. */
export const idsToName = (
  answer: unknown,
): { readonly companyId: string | null; readonly wanted: boolean } => {
  const [first] = Array.isArray(answer) ? answer : [answer];
  if (typeof first !== "object" || first === null) return { companyId: null, wanted: false };
  const rows = (Array.isArray(answer) ? answer : [answer]) as Row[];
  const wanted = rows.some((row) =>
    Object.entries(row).some(
      ([key, value]) =>
        typeof value === "string" && /(?:AgentId|UserId|actorId|agentId|reportsTo)$/.test(key),
    ),
  );
  const { companyId } = first as { companyId?: unknown };
  return { companyId: typeof companyId === "string" ? companyId : null, wanted };
};
