import { type CompanyStatus, isWorking } from "../../companies/company.ts";
import type { Gate } from "../../projects/gate.ts";
import { isOpenPullRequest, type PullRequest } from "../../repositories/pull-request.ts";
import { type RefusalDetails, refusal } from "../../shared/failure.ts";
import type { RepositoryId, RunId } from "../../shared/ids.ts";
import { oneLine } from "../../shared/sentence.ts";
import type { RunWork } from "../../workspaces/run-work.ts";
import { type GateCheck, shownLogMost } from "./gate-check.ts";
import { type Review, sameCommits } from "./review.ts";

/** The branch of an issue, with its state after the last run. */
export interface GateWork {
  readonly repositoryId: RepositoryId;
  readonly branch: string;
  readonly baseCommit: string;
  readonly head: string | null;
  readonly isPublished: boolean;
  /** The newest pull request, with the status of its checks at the host; null: none. */
  readonly pull: Pick<PullRequest, "state" | "checks" | "checksCommit" | "failedChecks" | "problem"> | null;
  /** null: nothing has been captured yet. */
  readonly captured: Pick<RunWork, "head" | "files" | "state" | "leftOut"> | null;
}

/** A gate with the name of its reviewer. */
export interface NamedGate extends Gate {
  readonly reviewerName: string | null;
}

/** The facts by which gates are judged. */
export interface GateFacts {
  readonly gates: readonly NamedGate[];
  readonly work: readonly GateWork[];
  readonly reviews: readonly Review[];
  readonly checks: readonly GateCheck[];
  /** Runs that may have changed the issue's workspace since its work was captured. */
  readonly uncapturedRuns: readonly RunId[];
  /** Its project has a repository that gives each issue a workspace; without one, no commands run. */
  readonly hasWorkspaces: boolean;
  /** No command runs for a company that is not working. */
  readonly companyStatus: CompanyStatus;
}

/** A gate, and why it is not met. */
export interface JudgedGate extends NamedGate {
  /** A sentence; null: it is met. */
  readonly reason: string | null;
  /** Not met yet, but the service or a host is still judging it: nobody has to act. */
  readonly isPending: boolean;
  /** The last run of its command; null: none. */
  readonly check: GateCheck | null;
}

/** Details: `gates`, each that is not met with its name, kind and reason, and the end of the log of a failed command. */
export class GatesUnmet extends refusal(
  "gates_unmet",
  "conflict",
  "The issue doesn't pass its gates. See the details.",
) {
  static readonly of = (unmet: readonly JudgedGate[]): GatesUnmet =>
    new GatesUnmet(
      {
        gates: unmet.map(({ name, kind, reason, check }) => ({
          name,
          kind,
          reason,
          ...(check?.state === "failed" ? { logEnd: check.log.slice(-shownLogMost) } : {}),
        })),
      },
      `The issue isn't done: ${unmet.map(({ name, reason }) => `${name}: ${reason}`).join(" ")}`,
      unmet.every(({ kind, reason }) => kind !== "review" && reason !== nothingRuns),
    );

  /** Whether the run itself may meet them by its end. A review needs somebody else. */
  readonly mayPassAtEnd: boolean;
  constructor(details?: RefusalDetails, message?: string, mayPassAtEnd = false) {
    super(details, message);
    this.mayPassAtEnd = mayPassAtEnd;
  }

  /** The same refusal of a run for which the service asks again. */
  askedAgain(): GatesUnmet {
    return new GatesUnmet(
      this.details,
      `${this.message} End the run with the issue in_progress. Boardroom marks it done with this request's comment once the gates pass; otherwise another run follows.`,
    );
  }
}

/** Returns why an issue with these gates is not done, or null. */
export const refusalOfGates = (gates: readonly JudgedGate[]): GatesUnmet | null => {
  const unmet = gates.filter(({ reason }) => reason !== null);
  return unmet.length === 0 ? null : GatesUnmet.of(unmet);
};

export const headsOf = (work: readonly GateWork[]): readonly string[] =>
  work.flatMap(({ head }) => head ?? []).sort();

/** Judges each gate by the last captured work, without waiting for the asking run: what that run leaves is judged again. */
export const judgeGates = (facts: GateFacts, ownRun: RunId | null): readonly JudgedGate[] =>
  facts.gates.map((gate) => {
    const reason = reasonOf[gate.kind](facts, gate, ownRun);
    return {
      ...gate,
      reason,
      isPending: reason !== null && isBeingJudged(facts, gate, ownRun),
      check: checkOf(facts, gate),
    };
  });

/** Whether an unmet gate will be judged without anybody acting. */
const isBeingJudged = (facts: GateFacts, gate: NamedGate, ownRun: RunId | null): boolean => {
  const { work, uncapturedRuns, hasWorkspaces, companyStatus } = facts;
  const heads = headsOf(work);
  switch (gate.kind) {
    case "command": {
      // The command of a paused company runs after the company is resumed.
      if (
        companyStatus === "archived" ||
        !hasWorkspaces ||
        heads.length === 0 ||
        uncapturedRuns.some((id) => id !== ownRun)
      )
        return false;
      const check = checkOf(facts, gate);
      return check === null || check.state === "running" || !sameCommits(check.commits, heads);
    }
    case "checks":
      return work.some(({ head, pull }) => head !== null && pull !== null && isAwaited(pull, head));
    default:
      return false;
  }
};

/** Whether the host of an open pull request has not judged its commit yet. */
const isAwaited = (
  { state, checks, checksCommit, problem }: NonNullable<GateWork["pull"]>,
  head: string,
): boolean =>
  isOpenPullRequest({ state }) && problem === null && (checksCommit !== head || checks === "pending");

/** The run of the gate's command, unless it was another command. */
const checkOf = ({ checks }: GateFacts, { kind, name, command }: NamedGate): GateCheck | null =>
  (kind === "command" ? checks.find((each) => each.gate === name && each.command === command) : null) ?? null;

const firstOf = (work: readonly GateWork[], reason: (each: GateWork) => string | null): string | null =>
  work.reduce<string | null>((found, each) => found ?? reason(each), null);

const reasonOf: Readonly<
  Record<Gate["kind"], (facts: GateFacts, gate: NamedGate, ownRun: RunId | null) => string | null>
> = {
  clean: ({ work, uncapturedRuns }, _, ownRun) =>
    uncapturedRuns.some((id) => id !== ownRun)
      ? "A run is using the workspace. Checked when it ends and its work is saved."
      : firstOf(work, dirt),
  published: ({ work }) => firstOf(work, unpublished),
  command: (facts, gate) => {
    const heads = headsOf(facts.work);
    const check = checkOf(facts, gate);
    const isOfThese = check !== null && heads.length > 0 && sameCommits(check.commits, heads);
    // A run at the current commits still counts.
    if (!facts.hasWorkspaces && !(isOfThese && check.state !== "running")) return nothingRuns;
    if (heads.length > 0 && !isOfThese && !isWorking(facts.companyStatus))
      return notWorking[facts.companyStatus];
    if (facts.work.some(({ captured }) => captured === null)) return notKept;
    if (heads.length === 0) return null;
    if (!isOfThese) return "The command hasn't run at the last commit yet. It runs once the run has ended.";
    if (check.state === "running") return "The command is running.";
    return check.problem;
  },
  checks: ({ work }) => firstOf(work, unchecked),
  review: ({ work, reviews }, { reviewerAgentId, reviewerUserId, reviewerName }) => {
    const who = reviewerName ?? "the reviewer";
    const review = reviews.find(
      ({ agentId, userId }) => agentId === reviewerAgentId && userId === reviewerUserId,
    );
    if (review === undefined) return `Waiting for a review by ${who}.`;
    if (!sameCommits(review.commits, headsOf(work)))
      return `The review by ${who} is older than the last commit. Waiting for a new one.`;
    if (review.verdict === "approved") return null;
    return `${who} requested changes${review.note === null ? "." : `: ${oneLine(review.note).slice(0, 500)}`}`;
  },
};

export const nothingRuns =
  "The command can't run: the project has no repository with issue workspaces. Add one, set a repository's mode to issue, or edit the gates.";

const notWorking = {
  active: null,
  paused: "The command runs once the company is resumed.",
  archived: "The command can't run: the company is archived.",
} as const;

const notKept = "No work saved yet. It's saved when a run ends.";

const dirt = ({ branch, captured }: GateWork): string | null => {
  if (captured === null) return notKept;
  if (captured.state !== null)
    return `The workspace of ${branch} is in the middle of a ${captured.state}. Finish it.`;
  const [first] = captured.leftOut;
  if (first !== undefined)
    return `Some files of ${branch} couldn't be saved, such as ${oneLine(first.path)}.`;
  return captured.files === captured.head ? null : `${branch} has uncommitted files. Commit them.`;
};

const unchecked = ({ branch, baseCommit, head, pull }: GateWork): string | null => {
  if (head === null) return notKept;
  if (head === baseCommit) return null;
  if (pull === null) return `${branch} has no pull request to check.`;
  if (pull.checksCommit !== head)
    return `The pull request's checks are older than the last commit of ${branch}.${pull.problem === null ? "" : ` ${pull.problem}`}`;
  switch (pull.checks) {
    case "passed":
      return null;
    case "failed":
      return `Pull request checks failed: ${pull.failedChecks.map(oneLine).join(", ")}.`;
    case "pending":
      return "Pull request checks are still running.";
    case "none":
      return "The host reports no checks for the last commit.";
  }
};

const unpublished = ({ branch, baseCommit, head, isPublished, captured }: GateWork): string | null => {
  if (captured === null || head === null) return notKept;
  if (captured.head !== head)
    return `The last run's commit doesn't descend from the base of ${branch}. Rebase it.`;
  return isPublished || head === baseCommit ? null : `${branch} isn't pushed yet.`;
};
