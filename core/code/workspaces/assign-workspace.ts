import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { Agent } from "../../model/agents/agent.ts";
import type { Issue } from "../../model/issues/issue.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { RunId, VolumeId } from "../../model/shared/ids.ts";
import {
  chooseWorkspace,
  type IssueWorkspace,
  portsOfWorkspace,
} from "../../model/workspaces/issue-workspace.ts";

/** The code that a run works on, in the repositories of its issue's project. */
export interface CodeOfRun {
  readonly issue: Pick<Issue, "id" | "identifier" | "parentId">;
  /** Those of the project that have a workspace for each issue; at least one. */
  readonly repositories: readonly Repository[];
  /** null: its runner has no workspaces of issues. */
  readonly workspace: IssueWorkspace | null;
}

export interface AssignWorkspace {
  readonly runId: RunId;
  readonly agent: Pick<Agent, "id" | "companyId">;
  readonly issue: Issue | null;
  /** null: a runner without workspaces of issues. */
  readonly volume: VolumeId | null;
}

/**
 * Assigns a workspace to a starting run, in the transaction that claims the run. The workspace's row is the lock: no two live
 * runs share one. null: no repository of the issue's project gives each issue a workspace.
 */
export const assignWorkspace = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { runId, agent, issue, volume }: AssignWorkspace,
) {
  if (issue === null || issue.projectId === null) return null;
  const all = yield* unit.repositories.ofProject(issue.projectId);
  const shared = all.filter(({ mode }) => mode === "shared");
  if (shared.length > 0) yield* nameUncaptured(unit, agent, runId, shared);
  const repositories = all.filter(({ mode }) => mode === "issue");
  if (repositories.length === 0) return null;
  const code = { issue, repositories };
  if (volume === null) return { ...code, workspace: null } satisfies CodeOfRun;
  const issueWorkspaces = yield* unit.issueWorkspaces.lockOf(issue.id);
  const chosen = chooseWorkspace(issueWorkspaces, {
    id: unit.newId<"workspace">(),
    companyId: agent.companyId,
    issueId: issue.id,
    runId,
    agentId: agent.id,
    volume,
    isAssignee: issue.assigneeAgentId === agent.id,
    at: unit.at,
  });
  const workspace = {
    ...chosen,
    firstPort: chosen.firstPort ?? (yield* unit.issueWorkspaces.freePort(volume, portsOfWorkspace)),
  };
  yield* issueWorkspaces.some(({ id }) => id === workspace.id)
    ? unit.issueWorkspaces.save(workspace)
    : unit.issueWorkspaces.insert(workspace);
  return { ...code, workspace } satisfies CodeOfRun;
});

/** Adds to the run's story that its work on these repositories is in no workspace. */
const nameUncaptured = (
  unit: UnitOfWork,
  { companyId }: AssignWorkspace["agent"],
  runId: RunId,
  repositories: readonly Repository[],
) =>
  unit.runs.appendEvents([
    {
      companyId,
      runId,
      type: "lifecycle",
      level: "info",
      message: `Repositories of the mode shared are in no workspace, and the service captures no work on them: ${repositories.map(({ url }) => url).join(", ")}. Push what must not be lost with the agent's folder.`,
      at: unit.at,
    },
  ]);
