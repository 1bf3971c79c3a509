export interface PullRequestAtHost {
  readonly number: number;
  /** For people. */
  readonly url: string;
}

/** A check of the head that has not passed. */
export interface FailedCheck {
  readonly name: string;
  /** The part of it that failed; null: the host does not say. */
  readonly step: string | null;
  readonly url: string | null;
  /** The end of its log, or its own summary; null: neither. */
  readonly logEnd: string | null;
}

/** `none`: the host has no check of this commit. */
export const checkStates = ["none", "pending", "passed", "failed"] as const;
export type CheckState = (typeof checkStates)[number];

/** The text of a person with write access to the repository; texts of others are omitted. */
export interface HostComment {
  /** Unique in the pull request. */
  readonly id: string;
  readonly author: string;
  readonly text: string;
  /** The line it is about, if any. */
  readonly path: string | null;
  readonly line: number | null;
  readonly url: string | null;
  readonly asksForChanges: boolean;
}

export interface PolledPullRequest extends PullRequestAtHost {
  readonly state: "open" | "merged" | "closed";
  readonly head: string;
  readonly mergeCommit: string | null;
  /** Of its head. */
  readonly checks: { readonly state: CheckState; readonly failed: readonly FailedCheck[] };
  /** The oldest first. */
  readonly notes: readonly HostComment[];
}
