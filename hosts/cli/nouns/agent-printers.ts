import type { z } from "zod";
import { endedRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { AgentExplanationShape, OrgNodeShape, SkillsShape } from "../../api/agents/agent-shapes.ts";
import type { WorkspaceShape } from "../../api/volumes/volume-shapes.ts";
import { budget, type Paper, status } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { plainRecord } from "../print/plain-record.ts";
import {
  authorColumn,
  columns,
  columnsOf,
  list,
  type Printer,
  record,
  rowsTable,
} from "../print/printers.ts";
import { section } from "../print/sections.ts";
import { oneLine } from "../print/table.ts";

const skillColumns = columnsOf<z.output<typeof SkillsShape>["entries"][number]>(
  { field: "key", title: "SKILL" },
  "state",
  { field: "locationLabel", title: "WHERE" },
  { field: "detail", title: "WHAT IT IS FOR", grows: true },
);

const skillsReport = (
  { adapterType, supported, entries, warnings }: z.output<typeof SkillsShape>,
  paper: Paper,
): string => {
  if (!supported) return `Agents of ${oneLine(adapterType)} have no skills.\n`;
  const notes = warnings.map((warning) => `${paper.colors.yellow("!")} ${oneLine(warning)}\n`);
  return `${rowsTable(skillColumns, entries, paper)}${notes.join("")}`;
};

/** Where an agent works, and until when it waits for a host that does not answer. */
const workspaceText = (
  { host, volume, since, lastSeenAt, givenUpAt }: z.output<typeof WorkspaceShape>,
  now: Date,
): string =>
  givenUpAt === null
    ? `on ${host} since ${ago(since, now)}  (${volume})`
    : `on ${host}, which answered ${ago(lastSeenAt, now)} and is abandoned at ${givenUpAt}  (${volume})`;

/** The work of an agent with its reasons, the start of its next run, and its day. */
const explanation = ({ situation, today }: z.output<typeof AgentExplanationShape>, paper: Paper): string => {
  const { colors, now } = paper;
  const why = situation.reasons
    .map(
      ({ sentence, since, needsPerson }) =>
        `${needsPerson ? colors.yellow("!") : "·"} ${oneLine(sentence)}${since === null ? "" : colors.dim(`  (since ${ago(since, now())})`)}\n`,
    )
    .join("");
  const { runs } = today;
  const ended = endedRunStatuses
    .filter((state) => runs[state] > 0)
    .map((state) => `${runs[state]} ${state.replace("_", " ")}`);
  const did = [
    `${runs.started} runs began${ended.length === 0 ? "" : ` (${ended.join(", ")})`}`,
    `${today.comments} comments`,
    ...(today.done.length === 0
      ? []
      : [`done: ${today.done.map(({ identifier }) => identifier).join(", ")}`]),
    `${money(today.costCents)}${today.unknownCostEventCount === 0 ? "" : ` and ${today.unknownCostEventCount} of unknown cost`}`,
  ];
  return [
    section("now", why, paper),
    section("next", `${oneLine(situation.next.sentence)}\n`, paper),
    section("today", `${did.join("; ")}\n`, paper),
  ].join("");
};

const tree = (nodes: readonly OrgNodeShape[], paper: Paper, lead = ""): string =>
  nodes
    .map((node, at) => {
      const last = at === nodes.length - 1;
      const { text, paint } = status(node.status, paper);
      const line = `${lead}${lead === "" && at === 0 && last ? "" : last ? "└ " : "├ "}${paper.colors.bold(oneLine(node.name))} ${oneLine(node.title ?? node.role)} ${paint?.(text) ?? text}\n`;
      return line + tree(node.reports, paper, `${lead}${last ? "  " : "│ "}`);
    })
    .join("");

export const agentPrinters: readonly Printer[] = [
  columns(
    "AgentShape",
    "name",
    { field: "urlKey", title: "KEY" },
    "status",
    { field: "role", grows: true, goes: 2 },
    { field: "adapterType", title: "ADAPTER", goes: 3 },
    { field: "reportsTo", goes: 1 },
    { field: "lastHeartbeatAt", title: "LAST RUN" },
    { title: "SPENT", show: budget, goes: 4 },
  ),
  columns("AgentKeyShape", "name", { field: "createdAt", goes: 1 }, "lastUsedAt", "revokedAt", "id"),
  columns(
    "AgentConfigRevisionShape",
    { field: "id", title: "REVISION" },
    authorColumn,
    { field: "source", goes: 2 },
    { field: "changedKeys", grows: true },
    "createdAt",
  ),
  record("AgentDetailShape", ({ workspace, ...agent }, paper) =>
    plainRecord(
      workspace === null ? agent : { ...agent, workspace: workspaceText(workspace, paper.now()) },
      paper,
    ),
  ),
  record("AgentExplanationShape", explanation),
  list("OrgNode", (nodes, paper) => tree(nodes, paper)),
  record("SkillsShape", skillsReport),
];
