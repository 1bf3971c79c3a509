import * as Effect from "effect/Effect";
import type {
  CapturedState,
  CloneOrder,
  IssueWorkspaces,
  WorkspaceStep,
} from "../../../ports/issue-workspaces.ts";
import type { Workspace } from "../../../ports/workspaces.ts";
import { transactAsSystem } from "../../access/unit-of-work.ts";
import type { Agent } from "../../model/agents/agent.ts";
import { authorOf, trailersOf } from "../../model/repositories/authorship.ts";
import { type IssueBranch, isOpenBranch } from "../../model/repositories/issue-branch.ts";
import { branchOfIssue, type Repository } from "../../model/repositories/repository.ts";
import type { CompanyId, RunId, WorkspaceId } from "../../model/shared/ids.ts";
import {
  type Clone,
  gitUrlOf,
  type IssueWorkspace,
  isOutdated,
} from "../../model/workspaces/issue-workspace.ts";
import { beginRepository } from "../repositories/begin-repository.ts";
import { bringWork, unpackWork } from "../repositories/bring-work.ts";
import { fetchRepository } from "../repositories/fetch-repository.ts";
import type { CodeOfRun } from "./assign-workspace.ts";
import type { CapturePorts, captureWorkspace } from "./capture-workspace.ts";
import { continueFromMerge } from "./continue-from-merge.ts";
import { finishRemoval } from "./finish-removal.ts";
import { runCommands } from "./run-commands.ts";

export interface PreparePorts extends CapturePorts {
  readonly keep: ReturnType<typeof captureWorkspace>;
}

export interface PrepareWorkspace {
  readonly run: { readonly id: RunId; readonly companyId: CompanyId };
  readonly agent: Pick<Agent, "id" | "name" | "urlKey" | "grantedPaths">;
  readonly code: CodeOfRun;
  /** null: the runner has none. */
  readonly issueWorkspaces: IssueWorkspaces | null;
  /** Of the run. */
  readonly token: string;
  /** The variables of its agent, for commands of the repositories. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: AbortSignal;
  /** Hides values of secrets. */
  readonly masked: (text: string) => string;
  readonly onOutput: WorkspaceStep["onOutput"];
}

const removalPollMs = 500;

/** The run gets no workspace; a sentence for people. */
export class WorkspaceNotReady {
  readonly message: string;
  readonly errorCode: "workspace_unusable" | "setup_failed";
  constructor(message: string, errorCode: WorkspaceNotReady["errorCode"] = "workspace_unusable") {
    this.message = message;
    this.errorCode = errorCode;
  }
}

/**
 * Prepares the workspace of a run before its program starts: brings the host's branches, captures what an earlier run
 * left there, makes the clones that are missing or behind the issue's newest captured work, and records that the run may write.
 */
export const prepareWorkspace = (parts: PreparePorts) => {
  const finish = finishRemoval(parts);
  /** Another service may be at it. */
  const awaitRemoval = Effect.fnUntraced(function* (disk: IssueWorkspaces, workspaceId: WorkspaceId) {
    for (;;) {
      yield* finish(disk, workspaceId);
      const now = yield* parts.transactor.transact((stores) => stores.issueWorkspaces.find(workspaceId));
      if (now === null || now.removalId === null) return;
      yield* Effect.sleep(removalPollMs);
    }
  });
  return Effect.fnUntraced(
    function* (order: PrepareWorkspace) {
      const { transactor, clock, codeStores } = parts;
      const { run, agent, code, issueWorkspaces } = order;
      if (issueWorkspaces === null || code.workspace === null)
        return yield* unusable(
          "The project's repositories use a workspace per issue, but the agent's runner has no volume to store it between runs. Add a volume to its template, choose another runner, or set the repositories' mode to shared.",
        );
      if (codeStores.unavailableReason !== null) return yield* unusable(codeStores.unavailableReason);
      yield* awaitRemoval(issueWorkspaces, code.workspace.id);
      yield* captureEarlierRun(parts, order, issueWorkspaces, code.workspace.uncapturedRunId);
      const branches = yield* branchesOf(parts, order);
      const clones = code.repositories.map(cloneOf);
      const newest = newestOf(branches, clones);
      const orders = yield* Effect.forEach(code.repositories, (repository) =>
        cloneOrder(parts, order, repository, branches),
      );
      const objects = orders.map(({ sharedObjects }) => sharedObjects);
      const current = yield* transactor.transact((stores) => stores.issueWorkspaces.ofRun(run.id));
      const workspace = current ?? code.workspace;
      const open = issueWorkspaces.open(agent, workspace, objects);
      const makeAnew = Effect.gen(function* () {
        yield* saveLeftOut(parts, order, issueWorkspaces, workspace);
        // A service that is killed from here on leaves no half of a workspace: the next run makes it anew.
        yield* save(parts, workspace, { madeAt: null });
        yield* issueWorkspaces.discard(workspace);
        const opened = yield* open;
        for (const each of orders) yield* issueWorkspaces.make(stepOf(order, opened), each);
        return { opened, madeAt: clock.now() };
      });
      const useAgain = Effect.gen(function* () {
        const opened = yield* open;
        for (const each of orders)
          if (!(yield* issueWorkspaces.check(stepOf(order, opened), each))) return yield* makeAnew;
        return { opened, madeAt: workspace.madeAt };
      });
      const isThere = !isOutdated(workspace, newest, clones) && (yield* issueWorkspaces.isThere(workspace));
      const { opened, madeAt } = yield* isThere ? useAgain : makeAnew;
      if (workspace.agentId === null) yield* continueFromMerges(parts, order, branches, { opened, orders });
      yield* save(parts, workspace, {
        madeAt,
        clones,
        stateRunId: newest,
        uncapturedRunId: run.id,
        problem: null,
      });
      yield* runSetUp(parts, order, issueWorkspaces, workspace, opened);
      return opened;
    },
    Effect.mapError((failure) =>
      failure instanceof WorkspaceNotReady ? failure : new WorkspaceNotReady(failure.message),
    ),
  );
};

const captureEarlierRun = Effect.fnUntraced(function* (
  { keep }: PreparePorts,
  order: PrepareWorkspace,
  issueWorkspaces: IssueWorkspaces,
  runId: RunId | null,
) {
  if (runId === null) return;
  const problem = yield* keep({ ...order, issueWorkspaces, runId, processRunId: order.run.id });
  if (problem !== null)
    yield* unusable(
      `The workspace has unsaved work of an earlier run, so the agent wasn't started. ${problem}`,
    );
});

const runSetUp = Effect.fnUntraced(function* (
  parts: PreparePorts,
  order: PrepareWorkspace,
  issueWorkspaces: IssueWorkspaces,
  workspace: IssueWorkspace,
  opened: Workspace,
) {
  for (const kind of ["setup", "run"] as const) {
    const problem = yield* runCommands(parts)({
      ...order,
      kind,
      workspace,
      issueWorkspaces,
      repositories: order.code.repositories,
      step: stepOf(order, opened),
      runId: order.run.id,
    });
    if (problem !== null) return yield* Effect.fail(new WorkspaceNotReady(problem, "setup_failed"));
  }
});

const cloneOf = ({ id, directory, sparseFolders }: Repository): Clone => ({
  repositoryId: id,
  directory,
  ...(sparseFolders === null ? {} : { sparseFolders }),
});

/**
 * The run whose captured work is the start of a workspace of these clones. The issue may also have branches of
 * another project.
 */
const newestOf = (branches: readonly IssueBranch[], clones: readonly Clone[]): RunId | null =>
  branches.find(
    ({ capturedRunId, repositoryId }) =>
      capturedRunId !== null && clones.some((clone) => clone.repositoryId === repositoryId),
  )?.capturedRunId ?? null;

/** The folder may hold the only copy of work of an earlier run that could not be captured, so it is not overwritten. */
const saveLeftOut = Effect.fnUntraced(function* (
  { transactor }: PreparePorts,
  { onOutput }: PrepareWorkspace,
  issueWorkspaces: IssueWorkspaces,
  workspace: IssueWorkspace,
) {
  if (workspace.madeAt === null || !(yield* issueWorkspaces.isThere(workspace))) return;
  const hasLeftOut = yield* transactor.transact((stores) => stores.issueWorkspaces.hasLeftOut(workspace.id));
  if (!hasLeftOut) return;
  const path = yield* issueWorkspaces.setAside(workspace);
  yield* onOutput(`The workspace is recreated. Files that couldn't be saved stay in ${path} for a while.\n`);
});

const unusable = (message: string) => Effect.fail(new WorkspaceNotReady(message));

/** The clones in an opened workspace. */
interface OpenedClones {
  readonly opened: Workspace;
  readonly orders: readonly CloneOrder[];
}

const continueFromMerges = Effect.fnUntraced(function* (
  parts: PreparePorts,
  order: PrepareWorkspace,
  branches: readonly IssueBranch[],
  { opened, orders }: OpenedClones,
) {
  const { issueWorkspaces, code } = order;
  if (issueWorkspaces === null) return;
  for (const clone of orders) {
    const branch = branches.find(({ repositoryId }) => repositoryId === clone.repositoryId);
    const repository = code.repositories.find(({ id }) => id === clone.repositoryId);
    if (branch === undefined || repository === undefined) continue;
    yield* continueFromMerge(parts, branch, repository, (merged) =>
      issueWorkspaces.continueFrom(stepOf(order, opened), clone, merged),
    );
  }
});

const stepOf = ({ run, stop, onOutput }: PrepareWorkspace, workspace: Workspace): WorkspaceStep => ({
  runId: run.id,
  workspace,
  stop,
  onOutput,
});

const save = (parts: PreparePorts, { id }: IssueWorkspace, change: Partial<IssueWorkspace>) =>
  transactAsSystem(parts, "workspaces.prepare", function* (unit) {
    const now = yield* unit.issueWorkspaces.lock(id);
    if (now !== null) yield* unit.issueWorkspaces.save({ ...now, ...change, usedAt: unit.at });
  });

/** Returns the issue's branch in each repository, with new ones for those that it has none in. */
const branchesOf = Effect.fnUntraced(function* (parts: PreparePorts, order: PrepareWorkspace) {
  const { run, code, onOutput } = order;
  const { issue, repositories } = code;
  const before = yield* transactAsSystem(parts, "workspaces.prepare", function* (unit) {
    const parents = issue.parentId === null ? [] : yield* unit.repositories.lockBranches(issue.parentId);
    return { parents, own: yield* unit.repositories.lockBranches(issue.id) };
  });
  const made: IssueBranch[] = [];
  for (const repository of repositories) {
    const isSame = (branch: IssueBranch) => branch.repositoryId === repository.id;
    const own = before.own.find(isSame);
    const fetched = yield* Effect.result(fetchRepository(parts)({ repositoryId: repository.id }));
    if (fetched._tag === "Failure") {
      // The stores hold everything that a started workspace needs.
      if (own === undefined) return yield* unusable(fetched.failure.message);
      yield* onOutput(`The host of ${repository.url} can't be reached now. ${fetched.failure.message}\n`);
    }
    if (own !== undefined) continue;
    const base = yield* baseOf(parts, order, repository, before.parents.find(isSame) ?? null);
    const at = parts.clock.now();
    made.push({
      issueId: issue.id,
      repositoryId: repository.id,
      companyId: run.companyId,
      branch: branchOfIssue(issue.identifier),
      ...base,
      head: null,
      capturedRunId: null,
      publishedAt: null,
      mergedAt: null,
      mergeCommit: null,
      abandonedAt: null,
      createdAt: at,
      updatedAt: at,
    });
  }
  return yield* transactAsSystem(parts, "workspaces.prepare", function* (unit) {
    for (const branch of made) yield* unit.repositories.insertBranch(branch);
    return yield* unit.repositories.lockBranches(issue.id);
  });
});

/**
 * A sub-issue begins from its parent's branch, others from the host's default branch, which an empty repository gets.
 */
const baseOf = Effect.fnUntraced(function* (
  parts: PreparePorts,
  { run, agent, code }: PrepareWorkspace,
  repository: Repository,
  parent: IssueBranch | null,
) {
  const { id: repositoryId, defaultBranch } = repository;
  const of = { companyId: run.companyId, repositoryId };
  const fromParent = parent !== null && isOpenBranch(parent) ? yield* headOf(parts, parent) : null;
  if (parent !== null && fromParent !== null) return { baseBranch: parent.branch, baseCommit: fromParent };
  const head = parts.codeStores.head(of, defaultBranch);
  let baseCommit = yield* head;
  if (baseCommit === null) {
    yield* beginRepository(parts, repository, trailersOf(code.issue.identifier, agent, run.id));
    baseCommit = yield* head;
  }
  if (baseCommit === null)
    return yield* unusable(
      `The repository has no branch ${defaultBranch}. Push it or set another default branch.`,
    );
  return { baseBranch: defaultBranch, baseCommit };
});

/** The head of a published branch in this service's store, which lacks work that is only on another service's disk. */
const headOf = Effect.fnUntraced(function* (parts: PreparePorts, branch: IssueBranch) {
  const { codeStores } = parts;
  const { head, baseCommit } = branch;
  const known = yield* codeStores.head(branch, branch.branch);
  if (head === null || head === known) return known;
  yield* bringWork(parts)({ ...branch, head });
  yield* codeStores.publish(branch, branch.branch, head, baseCommit);
  return yield* codeStores.head(branch, branch.branch);
});

const cloneOrder = Effect.fnUntraced(function* (
  parts: PreparePorts,
  { run, agent, code, token }: PrepareWorkspace,
  repository: Repository,
  branches: readonly IssueBranch[],
) {
  const clone = cloneOf(repository);
  const branch = branches.find(({ repositoryId }) => repositoryId === clone.repositoryId);
  if (branch === undefined)
    return yield* Effect.die(new Error(`No branch of repository ${clone.repositoryId}.`));
  const of = { companyId: run.companyId, repositoryId: clone.repositoryId };
  return {
    ...clone,
    url: gitUrlOf(parts.apiUrl(), clone.repositoryId),
    token,
    author: authorOf(repository, agent),
    trailers: trailersOf(code.issue.identifier, agent, run.id),
    sharedObjects: parts.codeStores.sharedObjects(of),
    branch: branch.branch,
    baseBranch: branch.baseBranch,
    baseCommit: branch.baseCommit,
    from: branch.capturedRunId === null ? null : yield* capturedState(parts, of, branch.capturedRunId),
    sources: {
      hostUrl: repository.url,
      stores: code.repositories.map(({ id, url }) => ({
        hostUrl: url,
        url: gitUrlOf(parts.apiUrl(), id),
      })),
    },
  } satisfies CloneOrder;
});

/** The captured work of a run. If this service's store lacks it, it is fetched from the blob store. */
const capturedState = Effect.fnUntraced(function* (
  parts: PreparePorts,
  of: { readonly companyId: CompanyId; readonly repositoryId: Repository["id"] },
  runId: RunId,
) {
  const { transactor, codeStores } = parts;
  let { head, tree: files } = yield* codeStores.capturedRefs(of, runId);
  if (head === null || files === null) {
    const work = yield* transactor.transact((stores) => stores.issueWorkspaces.work(runId, of.repositoryId));
    ({ head, tree: files } = yield* unpackWork(parts, of, work, `The work of run ${runId}`));
  }
  if (head === null || files === null) return yield* unusable(`The work of run ${runId} is incomplete.`);
  return { runId, head, files } satisfies CapturedState;
});
