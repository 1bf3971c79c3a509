import type { BlobStore } from "../../../ports/blob-store.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { GitHosts } from "../../../ports/git-hosts.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { WebhookSigning } from "../../../ports/webhook-signing.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { VolumeId } from "../../model/shared/ids.ts";
import { runGateChecks } from "../gates/run-gate-checks.ts";
import type { CommandsAtCommit } from "../gates/runs-at-commit.ts";
import { addRepository } from "./add-repository.ts";
import { answerCapture } from "./answer-capture.ts";
import { answerCheckout } from "./answer-checkout.ts";
import { answerGit } from "./answer-git.ts";
import { countPush } from "./count-push.ts";
import { diffIssue } from "./diff-issue.ts";
import { diffRun } from "./diff-run.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { maintainStores } from "./maintain-stores.ts";
import { mergeIssue } from "./merge-issue.ts";
import { openPullRequest } from "./open-pull-request.ts";
import { pollPullRequests } from "./poll-pull-requests.ts";
import { recordHostEvent } from "./record-host-event.ts";
import { recoverMerges } from "./recover-merges.ts";
import { removeRepository } from "./remove-repository.ts";
import { showChanges } from "./show-changes.ts";
import { showRunChanges } from "./show-run-changes.ts";
import { updateRepository } from "./update-repository.ts";

/** The use cases of repositories. */
export const repositories = (
  context: UseCaseContext,
  providers: SecretProviders,
  codeStores: CodeStores,
  blobs: BlobStore,
  gitHosts: GitHosts,
  signing: WebhookSigning,
  commands: CommandsAtCommit,
  /** Where this service keeps workspaces and stores. */
  volume: VolumeId,
) => {
  const work = { ...context, providers, codeStores, blobs };
  const gates = { ...work, ...commands };
  const pulls = { ...work, gitHosts };
  return {
    add: addRepository(pulls),
    update: updateRepository(pulls),
    remove: removeRepository(context, codeStores),
    fetch: fetchRepository(work),
    keepStores: maintainStores(work),
    changes: showChanges(work),
    diff: diffIssue(work),
    runChanges: showRunChanges(context, codeStores),
    diffRun: diffRun(context, codeStores),
    merge: mergeIssue(gates),
    recoverMerges: recoverMerges(gates),
    answerCheckout: answerCheckout(codeStores),
    answerGit: answerGit(work),
    answerKeep: answerCapture(work),
    countPush: countPush(context),
    openPullRequest: openPullRequest(pulls),
    pollPullRequests: pollPullRequests(pulls),
    runGateChecks: runGateChecks({ ...gates, volume }),
    recordHostEvent: recordHostEvent(work, signing),
  };
};

export type Repositories = ReturnType<typeof repositories>;
