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

/** The ports of repositories. */
interface RepositoryPorts extends UseCaseContext, CommandsAtCommit {
  readonly providers: SecretProviders;
  readonly codeStores: CodeStores;
  readonly blobs: BlobStore;
  readonly gitHosts: GitHosts;
  readonly signing: WebhookSigning;
  /** Where this service keeps workspaces and stores. */
  readonly volume: VolumeId;
}

/** The use cases of repositories. */
export const repositories = (ports: RepositoryPorts) => ({
  add: addRepository(ports),
  update: updateRepository(ports),
  remove: removeRepository(ports, ports.codeStores),
  fetch: fetchRepository(ports),
  maintainStores: maintainStores(ports),
  changes: showChanges(ports),
  diff: diffIssue(ports),
  runChanges: showRunChanges(ports, ports.codeStores),
  diffRun: diffRun(ports, ports.codeStores),
  merge: mergeIssue(ports),
  recoverMerges: recoverMerges(ports),
  answerCheckout: answerCheckout(ports.codeStores),
  answerGit: answerGit(ports),
  answerCapture: answerCapture(ports),
  countPush: countPush(ports),
  openPullRequest: openPullRequest(ports),
  pollPullRequests: pollPullRequests(ports),
  runGateChecks: runGateChecks(ports),
  recordHostEvent: recordHostEvent(ports, ports.signing),
});

export type Repositories = ReturnType<typeof repositories>;
