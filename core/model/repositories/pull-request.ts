import type { Actor } from "../access/caller.ts";
import { fenced } from "../issues/comments/fenced.ts";
import { refusal } from "../shared/failure.ts";
import type { CompanyId, IssueId, PullRequestId, RepositoryId } from "../shared/ids.ts";
import { addMillis, type Instant } from "../shared/instant.ts";
import { oneLine } from "../shared/sentence.ts";
import type { CheckState, FailedCheck, HostComment, PolledPullRequest } from "./pull-request-at-host.ts";

/** `opening`: the host may have it already. */
export const pullRequestStates = ["opening", "open", "merged", "closed"] as const;
/** The host may still change these. */
export const openPullRequestStates = [
  "opening",
  "open",
] as const satisfies readonly (typeof pullRequestStates)[number][];
export type PullRequestState = (typeof pullRequestStates)[number];

export const isOpenPullRequest = ({ state }: { readonly state: PullRequestState }): boolean =>
  (openPullRequestStates as readonly PullRequestState[]).includes(state);

/** The work of an issue, offered at the host of a repository. */
export interface PullRequest {
  readonly id: PullRequestId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly repositoryId: RepositoryId;
  readonly branch: string;
  readonly intoBranch: string;
  readonly title: string;
  readonly body: string;
  readonly state: PullRequestState;
  /** Both null while it is opened. */
  readonly number: number | null;
  readonly url: string | null;
  /** The commit that the service pushed last, and its base at that time; null: it has not pushed yet. */
  readonly head: string | null;
  readonly baseCommit: string | null;
  /** The last report of the host on the checks of `checksCommit`. */
  readonly checks: CheckState;
  readonly checksCommit: string | null;
  /** The names of those that failed. */
  readonly failedChecks: readonly string[];
  /** How often it has woken the agent since a person last acted. */
  readonly wakes: number;
  /** When it began to wait for a person. */
  readonly handedOverAt: Instant | null;
  /** Why the last poll failed: a sentence; null: it did not. */
  readonly problem: string | null;
  readonly by: Actor;
  /** When it last changed. */
  readonly changedAt: Instant;
  readonly polledAt: Instant | null;
  /** When it is polled next; a polling service first advances it. */
  readonly pollAt: Instant;
  readonly createdAt: Instant;
}

export class PullRequestsUnavailable extends refusal(
  "pull_requests_unavailable",
  "conflict",
  "Set the repository's hostKind to open pull requests.",
) {}

/** The host's branch has commits that the service did not push. */
export class BranchTaken extends refusal(
  "branch_taken",
  "conflict",
  "The branch on the host has commits that Boardroom didn't push. Merge them into the issue's branch or delete the branch on the host.",
) {}

/** How often a pull request wakes its agent before it waits for a person. */
export const wakesMost = 10;

const minute = 60_000;

/** Soon after a change, then less often. */
export const nextPoll = (changedAt: Instant, at: Instant): Instant => {
  const age = Date.parse(at) - Date.parse(changedAt);
  return addMillis(at, age < 10 * minute ? 30_000 : age < 120 * minute ? 2 * minute : 10 * minute);
};

/** News from the host, which reaches the agent once. */
export interface HostNews {
  readonly id: string;
  readonly text: string;
  /** It asks for work. */
  readonly isDemand: boolean;
}

const maxCommentChars = 4_000;

const code = (text: string): string => `\`${oneLine(text).replaceAll("`", "'").slice(0, 300)}\``;

const at = (url: string | null): string =>
  url === null || /[()\s]/.test(url) ? "" : ` ([at the host](${url}))`;

const failureText = ({ name, step, url, logEnd }: FailedCheck): string =>
  [
    `The check ${code(name)} failed${step === null ? "" : ` in ${code(step)}`}${at(url)}.`,
    ...(logEnd === null ? [] : ["The end of its log:", fenced(logEnd)]),
  ].join("\n\n");

const commentText = ({ author, text, path, line, url, asksForChanges }: HostComment): string => {
  const about = path === null ? "" : ` on ${code(path)}${line === null ? "" : ` line ${line}`}`;
  const shown = text.length > maxCommentChars ? `${text.slice(0, maxCommentChars)} …` : text;
  return [
    `${code(author)} ${asksForChanges ? "requests changes" : "wrote"}${about}${at(url)}:`,
    fenced(shown === "" ? "(no comment)" : shown.toWellFormed()),
  ].join("\n\n");
};

/** The news found by a poll, each with an id that stays the same in later polls. */
export const newsOf = ({ state, head, checks, notes }: PolledPullRequest): readonly HostNews[] => [
  ...(state === "closed" ? [{ id: `closed:${head}`, text: "Closed without merging.", isDemand: true }] : []),
  ...checks.failed.map((check) => ({
    id: `check:${head}:${check.name}`.slice(0, 400),
    text: failureText(check),
    isDemand: true,
  })),
  ...notes.map((note) => ({ id: note.id, text: commentText(note), isDemand: true })),
];
