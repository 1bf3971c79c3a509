import type { BlobStore } from "../../../ports/blob-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { GitHosts } from "../../../ports/git-hosts.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { WebhookSigning } from "../../../ports/webhook-signing.ts";
import type { VolumeId } from "../../model/shared/ids.ts";
import { runGateChecks } from "../gates/run-gate-checks.ts";
import type { CommandsAtCommit } from "../gates/runs-at-commit.ts";
import { addRepository } from "./add-repository.ts";
import { answerCheckout } from "./answer-checkout.ts";
import { answerGit } from "./answer-git.ts";
import { answerKeep } from "./answer-keep.ts";
import { countPush } from "./count-push.ts";
import { diffIssue } from "./diff-issue.ts";
import { diffRun } from "./diff-run.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { keepStores } from "./keep-stores.ts";
import { mergeIssue } from "./merge-issue.ts";
import { noteHostEvent } from "./note-host-event.ts";
import { openPullRequest } from "./open-pull-request.ts";
import { pollPullRequests } from "./poll-pull-requests.ts";
import { recoverMerges } from "./recover-merges.ts";
import { removeRepository } from "./remove-repository.ts";
import { showChanges } from "./show-changes.ts";
import { showRunChanges } from "./show-run-changes.ts";
import { updateRepository } from "./update-repository.ts";

/** The use cases of repositories. */
export const repositories = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  providers: SecretProviders,
  codeStores: CodeStores,
  blobs: BlobStore,
  gitHosts: GitHosts,
  signing: WebhookSigning,
  commands: CommandsAtCommit,
  /** Where this service keeps workspaces and stores. */
  volume: VolumeId,
) => {
  const work = { transactor, clock, ids, providers, codeStores, blobs };
  const gates = { ...work, ...commands };
  const pulls = { ...work, gitHosts };
  return {
    add: addRepository(transactor, clock, providers, codeStores, gitHosts),
    update: updateRepository(transactor, clock, providers, codeStores, gitHosts),
    remove: removeRepository(transactor, clock, codeStores),
    fetch: fetchRepository(transactor, clock, providers, codeStores),
    keepStores: keepStores(transactor, codeStores),
    changes: showChanges(work),
    diff: diffIssue(work),
    runChanges: showRunChanges(transactor, codeStores),
    diffRun: diffRun(transactor, codeStores),
    merge: mergeIssue(gates),
    recoverMerges: recoverMerges(gates),
    answerCheckout: answerCheckout(codeStores),
    answerGit: answerGit(transactor, clock, providers, codeStores),
    answerKeep: answerKeep(transactor, codeStores),
    countPush: countPush(transactor),
    openPullRequest: openPullRequest(pulls),
    pollPullRequests: pollPullRequests(pulls),
    runGateChecks: runGateChecks({ ...gates, volume }),
    noteHostEvent: noteHostEvent(transactor, clock, providers, signing),
  };
};

export type Repositories = ReturnType<typeof repositories>;
