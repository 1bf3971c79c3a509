export interface PullRequestAtHost {
  readonly number: number;
  /** For people. */
  readonly url: string;
}

/** A check of the head that did not pass. */
export interface FailedCheck {
  readonly name: string;
  /** The part of it that failed; null: the host does not say. */
  readonly step: string | null;
  readonly url: string | null;
  /** The end of its log, or what it says of itself; null: nothing. */
  readonly logEnd: string | null;
}

/** `none`: the host knows of no check of this commit. */
export const checkStates = ["none", "pending", "passed", "failed"] as const;
export type CheckState = (typeof checkStates)[number];

/** Words of a person who may write to the repository; others' are left out. */
export interface HostNote {
  /** Unique in the pull request. */
  readonly id: string;
  readonly author: string;
  readonly text: string;
  /** Where it is about a line. */
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
  /** Oldest first. */
  readonly notes: readonly HostNote[];
}
