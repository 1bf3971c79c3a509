import * as Effect from "effect/Effect";
import type { CodeStores, Commit } from "../../../ports/code-stores.ts";
import type { Credentials } from "../../../ports/credentials.ts";
import {
  type IssueWorkspaces,
  type WorkspaceStep,
  WorkspaceStepFailed,
} from "../../../ports/issue-workspaces.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { serviceAuthor } from "../../model/repositories/authorship.ts";
import type { CompanyId } from "../../model/shared/ids.ts";
import { type Clone, gitUrlOf, markOf } from "../../model/workspaces/issue-workspace.ts";

export interface AtCommitPorts extends Pick<UseCaseContext, "ids"> {
  readonly codeStores: CodeStores;
  readonly credentials: Pick<Credentials, "mintCheckoutToken">;
  /** Where programs of agents of that runner have workspaces; null: this service has no such runner, or it keeps nothing. */
  readonly issueWorkspacesOf: (runner: string) => IssueWorkspaces | null;
  /** The URL under which agents reach the service. */
  readonly apiUrl: () => string;
}

/** A commit that the shared store has, such as the head of a published branch or what `integrate` made. */
export interface CloneAtCommit extends Clone {
  readonly commit: Commit;
}

export interface RunAtCommit {
  /** Names it: what a killed service has left of the same one is ended before it runs. A UUID. */
  readonly id: string;
  readonly companyId: CompanyId;
  /** The name of the runner of the agent whose work it is. */
  readonly runner: string;
  /** Of all repositories of the project, where each is in the workspaces of its issues. */
  readonly clones: readonly CloneAtCommit[];
  readonly command: string;
  readonly timeoutSec: number;
  readonly stop: AbortSignal;
  /** Gets all that the command prints. */
  readonly onOutput: WorkspaceStep["onOutput"];
}

/** Longer than the making of a clone may take, with the start of its program on an engine. */
const tokenTtlSec = 60 * 60;

/**
 * Runs a command where the programs of an agent run: on its runner, in the sandbox, as the company's user, in a workspace of
 * its own at the given commits, which no agent can reach and which is discarded afterwards. It gets no credential and nothing
 * of the agents: neither their homes nor their caches. Fails where the workspace cannot be made; how the command ends is its
 * outcome.
 */
export const runAtCommit = ({ codeStores, ids, credentials, issueWorkspacesOf, apiUrl }: AtCommitPorts) =>
  Effect.fnUntraced(function* (order: RunAtCommit) {
    const { companyId, runner, clones, command, timeoutSec, stop, onOutput } = order;
    const disk = issueWorkspacesOf(runner);
    if (disk === null)
      return yield* Effect.fail(
        new WorkspaceStepFailed(`This service has no runner ${runner} with issue workspaces.`),
      );
    if (codeStores.unavailableReason !== null)
      return yield* Effect.fail(new WorkspaceStepFailed(codeStores.unavailableReason));
    const folder = { companyId, id: ids.newId<"workspace">(), isTemporary: true };
    const objectsOf = ({ repositoryId }: Clone) => codeStores.sharedObjects({ companyId, repositoryId });
    const work = Effect.gen(function* () {
      const workspace = yield* disk
        .open(null, folder, clones.map(objectsOf))
        .pipe(Effect.mapError(({ message }) => new WorkspaceStepFailed(message)));
      const step: WorkspaceStep = { runId: markOf(order.id), workspace, stop, onOutput };
      yield* disk.endOrphanSteps(step.runId);
      for (const clone of clones)
        yield* disk.make(step, {
          ...clone,
          url: gitUrlOf(apiUrl(), clone.repositoryId),
          token: yield* credentials.mintCheckoutToken(
            { companyId, repositoryId: clone.repositoryId },
            tokenTtlSec,
          ),
          sharedObjects: objectsOf(clone),
          branch: "boardroom/check",
          baseBranch: "boardroom/check",
          baseCommit: clone.commit,
          from: null,
          author: serviceAuthor,
          trailers: [],
        });
      return yield* disk.command(step, { command, directory: null, timeoutSec });
    });
    return yield* Effect.ensuring(work, Effect.ignore(disk.discard(folder)));
  });
