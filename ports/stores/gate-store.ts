import type * as Effect from "effect/Effect";
import type { GateCheck } from "../../core/model/issues/gates/gate-check.ts";
import type { DoneRequest } from "../../core/model/issues/gates/judge-end.ts";
import type { GateFacts, NamedGate } from "../../core/model/issues/gates/judge-gates.ts";
import type { Review } from "../../core/model/issues/gates/review.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { Gate } from "../../core/model/projects/gate.ts";
import type {
  AgentId,
  CompanyId,
  IssueId,
  ProjectId,
  RepositoryId,
  VolumeId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A command gate that is to run for an issue. */
export interface DueGate {
  /** A UUID, the same each time that this gate is taken for the issue. */
  readonly id: string;
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  /** As `runnerOf` says. */
  readonly runner: string;
  readonly gate: {
    readonly name: string;
    readonly command: string;
    readonly timeoutSec: number;
    readonly maxWakes: number;
  };
  /** The heads of the issue's branches that it is for. */
  readonly commits: readonly string[];
  readonly startedAt: Instant;
  /** All repositories of the project; null: the issue has no work in it, and its default branch counts. */
  readonly clones: readonly {
    readonly repositoryId: RepositoryId;
    readonly directory: string | null;
    readonly defaultBranch: string;
    readonly commit: string | null;
    /** Both null where it has no work. */
    readonly branch: string | null;
    readonly baseCommit: string | null;
  }[];
}

/** A project, or a single issue with gates of its own. */
export type GateOwner = { readonly projectId: ProjectId } | { readonly issueId: IssueId };

export interface GateStore {
  /** In the order given. */
  ofProject(projectId: ProjectId): Effect.Effect<readonly NamedGate[]>;
  /** The gates that count for an issue, stored or new: its own, or those of the project that is given. In the order given. */
  ofIssue(issue: Pick<Issue, "id" | "projectId">): Effect.Effect<readonly NamedGate[]>;
  /** Whether the issue has gates of its own, which may be none. */
  hasOwn(issueId: IssueId): Effect.Effect<boolean>;
  /** Of an issue: also `markOwn`. */
  replace(companyId: CompanyId, owner: GateOwner, gates: readonly Gate[]): Effect.Effect<void>;
  markOwn(issueId: IssueId, hasOwn: boolean): Effect.Effect<void>;
  /** The facts by which the gates of an issue are judged, and the agents that left work on it. */
  factsOf(
    issue: Pick<Issue, "id" | "projectId">,
  ): Effect.Effect<Omit<GateFacts, "gates"> & { readonly workers: readonly AgentId[] }>;
  /** The agents that left work on the issue. */
  workersOf(issueId: IssueId): Effect.Effect<readonly AgentId[]>;
  /** The name of the runner of the run whose work of the issue was kept last. */
  runnerOf(issueId: IssueId): Effect.Effect<string>;
  /** Stores it in place of the reviewer's earlier one. */
  putReview(review: Review): Effect.Effect<void>;
  /**
   * Takes command gates of open issues whose work is kept and not checked as it is now, those that `checkAgain` has marked,
   * and those whose check a lost service left; each is noted as running, with a lease (`workLease`). Leaves out work that was kept on
   * another volume, until that counts as abandoned: only its services have the commits.
   */
  takeDue(volume: VolumeId, at: Instant, most: number): Effect.Effect<readonly DueGate[]>;
  /** Waits for a concurrent lock and takes it; null: it is not that one any more which was taken. */
  lockCheck(due: DueGate): Effect.Effect<GateCheck | null>;
  saveCheck(check: GateCheck): Effect.Effect<void>;
  /** Renews the lease; false: it is not that one any more which was taken. */
  renewCheck(due: DueGate): Effect.Effect<boolean>;
  /** Marks the checks of a done issue that has new work, so that they run again. */
  checkAgain(issueId: IssueId): Effect.Effect<void>;
  /** Forgets checks of the issue that failed, so that they run again. Returns how many. */
  forgetFailed(issueId: IssueId): Effect.Effect<number>;
  /** Stores it in place of an earlier one. */
  putDoneRequest(request: DoneRequest): Effect.Effect<void>;
  doneRequest(issueId: IssueId): Effect.Effect<DoneRequest | null>;
  dropDoneRequest(issueId: IssueId): Effect.Effect<void>;
  /**
   * Notes since when what follows the last run of an issue in progress waits for the verdict on its gates; null: it does not.
   * A checkout or another status ends the wait, too. While it waits it is not `actionable`.
   */
  awaitVerdict(issueId: IssueId, since: Instant | null): Effect.Effect<void>;
  awaitsVerdictSince(issueId: IssueId): Effect.Effect<Instant | null>;
  /** Issues of active companies that wait so; the longest first. */
  awaitingVerdict(most: number): Effect.Effect<readonly IssueId[]>;
  /** Whether a person has acted on the issue since. */
  personActedSince(issueId: IssueId, since: Instant): Effect.Effect<boolean>;
}
