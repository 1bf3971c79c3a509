import * as Effect from "effect/Effect";
import type { CodeStores, Commit } from "../../ports/code-stores.ts";
import type { Ids } from "../../ports/ids.ts";
import { type IssueTrees, TreeFailed, type TreeStep } from "../../ports/issue-trees.ts";
import { serviceAuthor } from "../repositories/authorship.ts";
import type { CompanyId } from "../shared/ids.ts";
import { type Clone, gitUrlOf, markOf } from "./tree.ts";

export interface AtCommitPorts {
  readonly codeStores: CodeStores;
  readonly ids: Ids;
  /** Of this service's disk; null: it has none. */
  readonly trees: () => IssueTrees | null;
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
  /** Of all repositories of the project, where each is in the workspaces of its issues. */
  readonly clones: readonly CloneAtCommit[];
  readonly command: string;
  readonly timeoutSec: number;
  readonly stop: AbortSignal;
  /** Gets all that the command prints. */
  readonly onOutput: TreeStep["onOutput"];
}

/**
 * Runs a command in the agents' sandbox, as the company's user, in a workspace of its own at the given commits, which no
 * agent can reach and which is discarded afterwards. It gets no credential and nothing of the agents: neither their homes
 * nor their caches. Fails where the workspace cannot be made; how the command ends is its outcome.
 */
export const runAtCommit = ({ codeStores, ids, trees, apiUrl }: AtCommitPorts) =>
  Effect.fnUntraced(function* (order: RunAtCommit) {
    const disk = trees();
    if (disk === null) return yield* Effect.fail(new TreeFailed("This service has no workspaces of issues."));
    if (codeStores.gap !== null) return yield* Effect.fail(new TreeFailed(codeStores.gap));
    const { companyId, clones, command, timeoutSec, stop, onOutput } = order;
    const folder = { companyId, id: ids.next<"tree">(), isTemporary: true };
    const objectsOf = ({ repositoryId }: Clone) => codeStores.sharedObjects({ companyId, repositoryId });
    const work = Effect.gen(function* () {
      const workspace = yield* disk
        .open(null, folder, clones.map(objectsOf))
        .pipe(Effect.mapError(({ message }) => new TreeFailed(message)));
      const step: TreeStep = { runId: markOf(order.id), workspace, stop, onOutput };
      yield* disk.endLeft(step.runId);
      for (const clone of clones)
        yield* disk.make(step, {
          ...clone,
          url: gitUrlOf(apiUrl(), clone.repositoryId),
          token: "",
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
