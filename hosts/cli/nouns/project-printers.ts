import type { z } from "zod";
import type { WorkspaceCommandShape } from "../../api/workspaces/workspace-shapes.ts";
import { budget, type Paper, strong } from "../print/cells.ts";
import { ago } from "../print/format.ts";
import { columns, list, type Printer } from "../print/printers.ts";
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
    "name",
    "status",
    { field: "leadAgentId", goes: 2 },
    { title: "SPENT", show: budget, goes: 3 },
    { field: "targetDate", goes: 1 },
    "id",
  ),
  columns(
    "RepositoryShape",
    { field: "url", title: "REPOSITORY", strong: true, grows: true },
    { field: "defaultBranch", title: "BRANCH", grows: 8 },
    { field: "directory", grows: 6, goes: 2 },
    { field: "mode", goes: 1 },
    { title: "HOST", show: ({ problem }) => (problem === null ? "ok" : "problem"), goes: 3 },
    "id",
  ),
  columns(
    "PullRequestShape",
    { field: ["url", "title"], title: "PULL REQUEST", strong: true, grows: true },
    "state",
    "checks",
    { title: "POLLED", show: ({ problem }) => (problem === null ? "ok" : "problem"), goes: 1 },
  ),
  columns("NamedGateShape", "name", "kind", {
    field: "reviewerName",
    title: "REVIEWER",
    grows: 8,
    goes: 1,
  }),
  columns(
    "McpServerShape",
    "name",
    { field: ["url", "command"], title: "AT", grows: 16, goes: 2 },
    {
      title: "FOR",
      show: ({ allAgents, agentIds, roles }) => receivers(allAgents, agentIds.length, roles),
      goes: 1,
    },
    { title: "TOOLS", show: ({ tools }) => (tools === null ? "not tested" : String(tools.length)) },
    "id",
  ),
  columns(
    "McpServerOfAgentShape",
    "name",
    {
      title: "TOOLS",
      show: ({ tools }) => tools?.map((tool) => tool.name).join(", ") ?? "not tested",
      grows: 16,
    },
    "id",
  ),
  columns(
    "EventSubscriptionShape",
    { field: "url", strong: true, grows: true },
    { field: "events", grows: 12, goes: 1 },
    { field: "format", goes: 2 },
    {
      title: "STATE",
      show: ({ disabledAt, failingSince }) =>
        disabledAt !== null ? "disabled" : failingSince !== null ? "failing" : "ok",
    },
    "id",
  ),
  columns(
    "EventDeliveryShape",
    { field: "type", title: "EVENT", strong: true, grows: true },
    "state",
    {
      title: "ANSWER",
      show: ({ status, answer }) => (status === null ? (answer ?? "–") : String(status)),
      grows: 8,
    },
    { field: "attempts", goes: 2 },
    "id",
  ),
  columns(
    "IssueWorkspaceShape",
    {
      title: "ISSUE",
      show: ({ issueIdentifier, issueTitle }, paper) => strong(`${issueIdentifier} ${issueTitle}`, paper),
      grows: true,
    },
    "status",
    { field: "agentId", goes: 2 },
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
    { field: "host", grows: 6, goes: 1 },
    "id",
  ),
  list("WorkspaceCommandShape", commandList),
  columns("GoalShape", "title", "level", "status", { field: "ownerAgentId", goes: 1 }, "id"),
];
