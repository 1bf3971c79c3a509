import type { z } from "zod";
import { endedRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { AgentExplanationShape, OrgNodeShape, SkillsShape } from "../../api/agents/agent-shapes.ts";
import type { WorkspaceShape } from "../../api/volumes/volume-shapes.ts";
import { budget, type Paper, someone, status, strong, when } from "../print/cells.ts";
import { ago, money } from "../print/format.ts";
import { plainRecord } from "../print/plain-record.ts";
import { authorColumn, columns, idColumn, list, type Printer, record } from "../print/printers.ts";
import { section } from "../print/sections.ts";
import { oneLine, table } from "../print/table.ts";

const skillsReport = (
  { adapterType, supported, entries, warnings }: z.output<typeof SkillsShape>,
  paper: Paper,
): string => {
  if (!supported) return `Agents of ${oneLine(adapterType)} have no skills.\n`;
  const { colors } = paper;
  const rows = entries.map(({ key, state, locationLabel, detail }) => [
    strong(key, paper),
    { text: state, ...(state === "missing" ? { paint: colors.red } : {}) },
    { text: locationLabel ?? "" },
    { text: detail ?? "" },
  ]);
  const headings = [
    { title: "SKILL" },
    { title: "STATE" },
    { title: "WHERE" },
    { title: "WHAT IT IS FOR", grows: true },
  ];
  return `${table(headings, rows, paper)}${warnings.map((warning) => `${colors.yellow("!")} ${oneLine(warning)}\n`).join("")}`;
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
    { title: "NAME", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "KEY", show: ({ urlKey }) => urlKey },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "ROLE", show: ({ role }) => role, grows: true, goes: 2 },
    { title: "ADAPTER", show: ({ adapterType }) => adapterType, goes: 3 },
    { title: "REPORTS TO", show: ({ reportsTo }, paper) => someone(reportsTo, paper), goes: 1 },
    { title: "LAST RUN", show: when("lastHeartbeatAt") },
    { title: "SPENT", show: budget, goes: 4 },
  ),
  columns(
    "AgentKeyShape",
    { title: "KEY", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "MADE", show: when("createdAt"), goes: 1 },
    { title: "LAST USED", show: when("lastUsedAt") },
    { title: "REVOKED", show: when("revokedAt") },
    idColumn,
  ),
  columns(
    "AgentConfigRevisionShape",
    { title: "REVISION", show: ({ id }) => id },
    authorColumn,
    { title: "HOW", show: ({ source }) => source, goes: 2 },
    { title: "CHANGED", show: ({ changedKeys }) => changedKeys.join(", "), grows: true },
    { title: "WHEN", show: when("createdAt") },
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
