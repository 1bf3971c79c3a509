import * as Effect from "effect/Effect";
import type { BlobStore } from "../../../ports/blob-store.ts";
import type { CapturedRefs, CodeStores, Commit, StoreOf } from "../../../ports/code-stores.ts";
import type { Credentials } from "../../../ports/credentials.ts";
import type { CapturedWork, IssueWorkspaces, WorkspaceStep } from "../../../ports/issue-workspaces.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import { trailersOf } from "../../model/repositories/authorship.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import type { RunId } from "../../model/shared/ids.ts";
import { type Clone, gitUrlOf, type IssueWorkspace } from "../../model/workspaces/issue-workspace.ts";
import type { RunWork } from "../../model/workspaces/run-work.ts";
import { type Mask, maskForIssue } from "../../secrets/mask-for-agents.ts";
import { readGates } from "../../work/issues/gates/read-gates.ts";

/** Carries out work of the same key one after the other. */
export type OneAtATime = <A, E>(key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>;

export interface CapturePorts extends UseCaseContext {
  readonly codeStores: CodeStores;
  readonly blobs: BlobStore;
  readonly credentials: Credentials;
  readonly providers: SecretProviders;
  readonly oneAtATime: OneAtATime;
  /** The URL under which agents reach the service. */
  readonly apiUrl: () => string;
}

export interface CaptureWorkspace {
  readonly runId: RunId;
  readonly issueWorkspaces: IssueWorkspaces;
  /** In the environment of the step's processes: of a run that is live, or of none. */
  readonly processRunId: string;
  readonly stop: AbortSignal;
  readonly onOutput: WorkspaceStep["onOutput"];
}

const tokenTtlSec = 30 * 60;

/** The captured work of one clone. */
interface CapturedClone extends HeadOfIssue {
  readonly bytes: number | null;
  readonly branch: IssueBranch;
  readonly work: RunWork;
}

/**
 * Captures what a run left in its workspace: in the store of captured work, as a pack in the blob store, and, of the
 * issue's own workspace, as the issue's branch. It may be repeated. Returns a sentence where something could not be
 * captured; then nothing else happens to the workspace. null: all is captured, or there was nothing to capture here.
 */
export const captureWorkspace = (ports: CapturePorts) => {
  const capture = captureNow(ports);
  // A new run must not write there while the background task still reads.
  return (order: CaptureWorkspace) => ports.oneAtATime(order.runId, capture(order));
};

const captureNow = (ports: CapturePorts) =>
  Effect.fnUntraced(function* (order: CaptureWorkspace) {
    const found = yield* readUncaptured(ports, order);
    if (found === null) return null;
    const { workspace } = found;
    // Only when there is something to mask: reading secrets may call a remote vault.
    const mask = maskForIssue(ports)(workspace, found.worker.agentId === null ? [] : [found.worker.agentId]);
    const result = yield* Effect.result(captureClones(ports, order, found, mask));
    if (result._tag === "Failure") {
      const problem = (yield* mask)(result.failure.message, "Git failed.");
      yield* saveUncaptured(ports, workspace, order.runId, { problem });
      return problem;
    }
    if (result.success === null)
      yield* saveUncaptured(ports, workspace, order.runId, {
        uncapturedRunId: null,
        problem: null,
        madeAt: null,
      });
    else yield* saveCaptured(ports, workspace, order.runId, result.success);
    return null;
  });

type Uncaptured = NonNullable<Effect.Success<ReturnType<typeof readUncaptured>>>;

/** The run's workspace, if this service's disk has it and its work is not captured yet. */
const readUncaptured = (ports: CapturePorts, { runId, issueWorkspaces }: CaptureWorkspace) =>
  transactAsSystem(ports, "workspaces.capture", function* (unit) {
    const workspace = yield* unit.issueWorkspaces.uncapturedBy(runId);
    if (workspace === null || workspace.volume !== issueWorkspaces.volume) return null;
    return {
      workspace,
      branches: yield* unit.repositories.lockBranches(workspace.issueId),
      worker: yield* unit.issueWorkspaces.workerIn(workspace.id, runId),
      former: workspace.stateRunId === null ? [] : yield* unit.issueWorkspaces.works(workspace.stateRunId),
    };
  });

/** null without the workspace's folder: an empty one in its place must not count as work. */
const captureClones = Effect.fnUntraced(function* (
  ports: CapturePorts,
  order: CaptureWorkspace,
  { workspace, branches, former, worker }: Uncaptured,
  mask: Effect.Effect<Mask>,
) {
  if (!(yield* order.issueWorkspaces.isThere(workspace))) return null;
  const agent = worker.agentName === null ? null : { name: worker.agentName };
  const trailers = trailersOf(worker.identifier, agent, order.runId);
  const captured: CapturedClone[] = [];
  for (const clone of workspace.clones) {
    const branch = branches.find(({ repositoryId }) => repositoryId === clone.repositoryId);
    if (branch === undefined)
      return yield* Effect.die(new Error(`Workspace ${workspace.id} has an unknown clone.`));
    const before = former.find(({ repositoryId }) => repositoryId === clone.repositoryId);
    const base = yield* filesBefore(ports, branch, before);
    captured.push(yield* captureClone(ports, order, workspace, clone, { branch, base, trailers, mask }));
  }
  return captured;
});

/** The files that the run began with: the state before, or the merge from which the branch continued since. */
const filesBefore = Effect.fnUntraced(function* (
  { codeStores }: CapturePorts,
  branch: IssueBranch,
  before: RunWork | undefined,
) {
  if (before === undefined) return branch.baseCommit;
  const isOfBase = codeStores.isAncestor(branch, branch.baseCommit, before.head);
  return (yield* Effect.orElseSucceed(isOfBase, () => true)) ? before.files : branch.baseCommit;
});

/** Changes the workspace, unless another process has captured the run's work in the meantime. */
const saveUncaptured = (
  ports: CapturePorts,
  { id }: IssueWorkspace,
  runId: RunId,
  changes: Partial<IssueWorkspace>,
) =>
  transactAsSystem(ports, "workspaces.capture", function* (unit) {
    const now = yield* unit.issueWorkspaces.lock(id);
    if (now?.uncapturedRunId === runId) yield* unit.issueWorkspaces.save({ ...now, ...changes });
  });

const saveCaptured = (
  ports: CapturePorts,
  workspace: IssueWorkspace,
  runId: RunId,
  captured: readonly CapturedClone[],
) =>
  transactAsSystem(ports, "workspaces.capture", function* (unit) {
    const issue = yield* Effect.orDie(unit.issues.lock(workspace.issueId));
    const current = yield* unit.repositories.lockBranches(workspace.issueId);
    const now = yield* unit.issueWorkspaces.lock(workspace.id);
    // Another process has captured it in the meantime, and later runs may have continued from there.
    if (now?.uncapturedRunId !== runId) return;
    const { at } = unit;
    const isOfIssueItself = workspace.agentId === null;
    let hasNewWork = false;
    for (const { branch, work, isOfIssue, isPublished } of captured) {
      yield* unit.issueWorkspaces.putWork({ ...work, capturedAt: at });
      const latest = current.find(({ repositoryId }) => repositoryId === branch.repositoryId);
      if (!isOfIssueItself || latest === undefined) continue;
      hasNewWork ||= isOfIssue && (work.head !== latest.head || latest.abandonedAt !== null);
      yield* unit.repositories.saveBranch({
        ...latest,
        head: isOfIssue ? work.head : latest.head,
        capturedRunId: runId,
        publishedAt: isPublished ? at : latest.publishedAt,
        abandonedAt: null,
        updatedAt: at,
      });
    }
    yield* unit.issueWorkspaces.save({
      ...now,
      uncapturedRunId: null,
      problem: null,
      stateRunId: isOfIssueItself ? runId : now.stateRunId,
      usedAt: at,
      bytes: captured.at(-1)?.bytes ?? now.bytes,
    });
    // A run may work on after it has made its issue done.
    if (issue.status === "done" && hasNewWork) yield* unit.gates.checkAgain(issue.id);
    if (issue.verifiedAt === null || !isOfIssueItself) return;
    const gates = yield* readGates(unit, issue, runId);
    if (gates.some(({ reason }) => reason !== null))
      yield* unit.issues.save({ ...issue, verifiedAt: null, updatedAt: at });
  });

/** A clone as the run found it, and what names the run in a commit. */
interface Begun {
  readonly branch: IssueBranch;
  readonly base: Commit;
  readonly trailers: readonly string[];
  readonly mask: Effect.Effect<Mask>;
}

const hiddenName = "(hidden name)";

/** Names of files and branches, which the agent has chosen, without values of secrets. */
const withoutSecrets = Effect.fnUntraced(function* (
  { branch, leftOut }: CapturedWork,
  own: string,
  mask: Effect.Effect<Mask>,
) {
  if (leftOut.length === 0 && (branch === null || branch === `refs/heads/${own}`)) return { branch, leftOut };
  const masked = yield* mask;
  return {
    branch: branch === null ? null : masked(branch, hiddenName),
    leftOut: leftOut.map((each) => ({ ...each, path: masked(each.path, hiddenName) })),
  };
});

const captureClone = Effect.fnUntraced(function* (
  ports: CapturePorts,
  { runId, issueWorkspaces, processRunId, stop, onOutput }: CaptureWorkspace,
  workspace: IssueWorkspace,
  clone: Clone,
  { branch, base, trailers, mask }: Begun,
) {
  const { codeStores, credentials, clock } = ports;
  const { companyId } = workspace;
  const of: StoreOf = { companyId, repositoryId: clone.repositoryId };
  const sharedObjects = codeStores.sharedObjects(of);
  const opened = yield* issueWorkspaces.open(null, workspace, [sharedObjects]);
  const { pushes } = yield* ports.transactor.transact(({ repositories }) => repositories.pushed(runId));
  const captured = yield* issueWorkspaces.keep(
    { runId: processRunId, workspace: opened, stop, onOutput },
    {
      ...clone,
      runId,
      trailers,
      // Stands in for a HEAD that is gone.
      standIn: branch.head ?? branch.baseCommit,
      url: gitUrlOf(ports.apiUrl(), clone.repositoryId),
      token: yield* credentials.mintCaptureToken({ companyId, runId, pushesBefore: pushes }, tokenTtlSec),
      sharedObjects,
      outsideOf:
        clone === workspace.clones[0] ? workspace.clones.flatMap(({ directory }) => directory ?? []) : [],
    },
  );
  // The step's own report comes from the agents' sandbox and is not trusted: only what has arrived counts.
  const { files, head } = arrived(yield* codeStores.capturedRefs(of, runId));
  if (files === null || head === null) return yield* Effect.fail({ message: "Nothing has arrived." });
  const headOfIssue = yield* publish(ports, of, workspace, branch, captured.hasHead ? head : null);
  const work: RunWork = {
    runId,
    repositoryId: clone.repositoryId,
    companyId,
    issueId: workspace.issueId,
    workspaceId: workspace.id,
    head,
    files,
    base,
    ...(yield* withoutSecrets(captured, branch.branch, mask)),
    state: captured.state,
    ...(yield* storePack(ports, of, runId)),
    capturedAt: clock.now(),
  };
  return { branch, work, bytes: captured.bytes, ...headOfIssue } satisfies CapturedClone;
});

const arrived = ({ tree: files, head }: CapturedRefs) => ({ files, head });

/** How the head of a workspace relates to the issue. */
interface HeadOfIssue {
  /** Whether the work belongs to the issue: it is from the issue's own workspace and descends from the base. */
  readonly isOfIssue: boolean;
  /** It has just been made the branch that all agents of the project read. */
  readonly isPublished: boolean;
}

/** A head without commits of its own is published only if it replaces another. */
const publish = Effect.fnUntraced(function* (
  { codeStores }: CapturePorts,
  of: StoreOf,
  workspace: IssueWorkspace,
  { branch, baseCommit, head: before, publishedAt }: IssueBranch,
  head: Commit | null,
) {
  const noHead: HeadOfIssue = { isOfIssue: false, isPublished: false };
  if (workspace.agentId !== null || head === null) return noHead;
  const isKnown = head === before && publishedAt !== null;
  if (isKnown || (head === baseCommit && publishedAt === null)) return { ...noHead, isOfIssue: true };
  const isPublished = yield* codeStores.publish(of, branch, head, baseCommit);
  return { isOfIssue: isPublished, isPublished } satisfies HeadOfIssue;
});

/**
 * Packs survive the loss of the stores' disk. An unreachable blob store does not delay what the store of captured
 * work has.
 */
export const storePack = Effect.fnUntraced(function* (
  { codeStores, blobs }: Pick<CapturePorts, "codeStores" | "blobs">,
  of: StoreOf,
  runId: RunId,
) {
  const blobKey = `kept/${of.companyId}/${of.repositoryId}/${runId}.pack`;
  const pack = yield* codeStores.packOf(of, runId);
  return yield* blobs.putStream(blobKey, pack).pipe(
    Effect.map(({ byteSize }) => ({ blobKey, packBytes: byteSize })),
    Effect.catch(() => Effect.succeed({ blobKey: null, packBytes: null })),
  );
});
