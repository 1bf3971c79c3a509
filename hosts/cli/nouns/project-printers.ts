import type { z } from "zod";
import type { WorkspaceCommandShape } from "../../api/workspaces/workspace-shapes.ts";
import type { Paper } from "../print/cells.ts";
import { budget, someone, status, strong } from "../print/cells.ts";
import { ago } from "../print/format.ts";
import { columns, idColumn, list, type Printer } from "../print/printers.ts";
import { indented } from "../print/sections.ts";
import { oneLine } from "../print/table.ts";

/** Prints commands of repositories in a workspace: kind, outcome, command and the end of the output. */
const commandList = (
  rows: readonly z.output<typeof WorkspaceCommandShape>[],
  { colors, now }: Paper,
): string =>
  rows
    .map(({ kind, command, problem, durationMs, endedAt, output }) => {
      const outcome = problem === null ? "succeeded" : `failed: ${oneLine(problem)}`;
      const about = `· ${Math.round(durationMs / 1_000)} s · ${ago(endedAt, now())}`;
      return `${colors.bold(`${kind} ${outcome}`)} ${colors.dim(about)}\n${indented(`$ ${oneLine(command)}`)}\n${indented(output.trimEnd())}`;
    })
    .join("\n");

const receivers = (allAgents: boolean, agents: number, roles: readonly string[]): string =>
  allAgents
    ? "all"
    : [...(agents === 0 ? [] : [`${agents} ${agents === 1 ? "agent" : "agents"}`]), ...roles].join(", ") ||
      "none";

export const projectPrinters: readonly Printer[] = [
  columns(
    "ProjectShape",
    { title: "PROJECT", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "LEAD", show: ({ leadAgentId }, paper) => someone(leadAgentId, paper), grows: 8, goes: 2 },
    { title: "SPENT", show: (row) => budget(row), goes: 3 },
    { title: "TARGET", show: ({ targetDate }) => targetDate ?? "–", goes: 1 },
    idColumn,
  ),
  columns(
    "RepositoryShape",
    { title: "REPOSITORY", show: ({ url }, paper) => strong(url, paper), grows: true },
    { title: "BRANCH", show: ({ defaultBranch }) => defaultBranch, grows: 8 },
    { title: "DIRECTORY", show: ({ directory }) => directory ?? "–", grows: 6, goes: 2 },
    { title: "MODE", show: ({ mode }) => mode, goes: 1 },
    { title: "HOST", show: ({ problem }) => (problem === null ? "ok" : "problem"), goes: 3 },
    idColumn,
  ),
  columns(
    "PullRequestShape",
    { title: "PULL REQUEST", show: ({ url, title }, paper) => strong(url ?? title, paper), grows: true },
    { title: "STATE", show: ({ state }) => state },
    { title: "CHECKS", show: ({ checks }) => checks },
    { title: "POLLED", show: ({ problem }) => (problem === null ? "ok" : "problem"), goes: 1 },
  ),
  columns(
    "NamedGateShape",
    { title: "GATE", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "KIND", show: ({ kind }) => kind },
    { title: "REVIEWER", show: ({ reviewerName }) => reviewerName ?? "–", grows: 8, goes: 1 },
  ),
  columns(
    "McpServerShape",
    { title: "SERVER", show: ({ name }, paper) => strong(name, paper), grows: true },
    { title: "AT", show: ({ url, command }) => url ?? command ?? "–", grows: 16, goes: 2 },
    {
      title: "FOR",
      show: ({ allAgents, agentIds, roles }) => receivers(allAgents, agentIds.length, roles),
      goes: 1,
    },
    { title: "TOOLS", show: ({ tools }) => (tools === null ? "not tested" : String(tools.length)) },
    idColumn,
  ),
  columns(
    "McpServerOfAgentShape",
    { title: "SERVER", show: ({ name }, paper) => strong(name, paper), grows: true },
    {
      title: "TOOLS",
      show: ({ tools }) => tools?.map((tool) => tool.name).join(", ") ?? "not tested",
      grows: 16,
    },
    idColumn,
  ),
  columns(
    "EventSubscriptionShape",
    { title: "ADDRESS", show: ({ url }, paper) => strong(url, paper), grows: true },
    { title: "EVENTS", show: ({ events }) => events.join(", "), grows: 12, goes: 1 },
    { title: "FORMAT", show: ({ format }) => format, goes: 2 },
    {
      title: "STATE",
      show: ({ disabledAt, failingSince }) =>
        disabledAt !== null ? "disabled" : failingSince !== null ? "failing" : "ok",
    },
    idColumn,
  ),
  columns(
    "EventDeliveryShape",
    { title: "EVENT", show: ({ type }, paper) => strong(type, paper), grows: true },
    { title: "STATE", show: ({ state }) => state },
    {
      title: "ANSWER",
      show: ({ status, answer }) => (status === null ? (answer ?? "–") : String(status)),
      grows: 8,
    },
    { title: "ATTEMPTS", show: ({ attempts }) => String(attempts), goes: 2 },
    idColumn,
  ),
  columns(
    "IssueWorkspaceShape",
    {
      title: "ISSUE",
      show: ({ issueIdentifier, issueTitle }, paper) => strong(`${issueIdentifier} ${issueTitle}`, paper),
      grows: true,
    },
    { title: "STATUS", show: ({ status }) => status },
    { title: "AGENT", show: ({ agentId }, paper) => someone(agentId, paper), grows: 8, goes: 2 },
    {
      title: "SIZE",
      show: ({ bytes }) => (bytes === null ? "–" : `${Math.ceil(bytes / 2 ** 20)} MiB`),
      goes: 4,
    },
    {
      title: "LEFT OUT",
      show: ({ repositories }) =>
        `${repositories.reduce((sum, { kept }) => sum + (kept?.leftOut.length ?? 0), 0)}`,
      goes: 3,
    },
    { title: "HOST", show: ({ host }) => host ?? "–", grows: 6, goes: 1 },
    idColumn,
  ),
  list("WorkspaceCommandShape", commandList),
  columns(
    "GoalShape",
    { title: "GOAL", show: ({ title }, paper) => strong(title, paper), grows: true },
    { title: "LEVEL", show: ({ level }) => level },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    { title: "OWNER", show: ({ ownerAgentId }, paper) => someone(ownerAgentId, paper), grows: 8, goes: 1 },
    idColumn,
  ),
];
