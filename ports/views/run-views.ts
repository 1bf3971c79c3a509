import type * as Effect from "effect/Effect";
import type { CommentLocation } from "../../core/model/issues/comments/comment-location.ts";
import type { RunMessage } from "../../core/model/runs/messages/run-message.ts";
import type {
  Run,
  RunDetailsDeleted,
  RunNotFound,
  RunProcess,
  StopReason,
} from "../../core/model/runs/run.ts";
import type { RunFacts } from "../../core/model/runs/run-actions.ts";
import type { RunStatus } from "../../core/model/runs/run-status.ts";
import type { WakePayload } from "../../core/model/runs/wake.ts";
import type { WakeReason } from "../../core/model/runs/wake-reason.ts";
import type { RunSituation } from "../../core/model/runs/what-comes-next.ts";
import type {
  AgentId,
  ApprovalId,
  CompanyId,
  InteractionId,
  IssueId,
  RunId,
  RunMessageId,
  ServiceId,
  WakeId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { TokenUsage } from "../agent-adapter.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";
import type { WorkspaceView } from "./volume-views.ts";

export interface RunView {
  readonly id: RunId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly issueTitle: string | null;
  readonly adapterType: string;
  readonly status: RunStatus;
  readonly wakeReason: WakeReason;
  readonly invocationSource: string;
  readonly retryOfRunId: RunId | null;
  readonly stopRequestedAt: Instant | null;
  readonly stopReason: StopReason | null;
  /** Held by the loop breaker until a person acts. */
  readonly heldSince: Instant | null;
  /** Since when its program waits for a person's permission. */
  readonly waitsForPersonSince: Instant | null;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly errorCode: string | null;
  /** A sentence for people. */
  readonly error: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly summary: string | null;
  readonly usage: TokenUsage | null;
  readonly costCents: number | null;
  readonly sessionIdBefore: string | null;
  readonly sessionIdAfter: string | null;
  readonly logBytes: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A run as it is stored; `showRun` makes what its readers see. */
export interface RunRecord extends RunView {
  readonly context: WakePayload;
  readonly serviceId: ServiceId | null;
  /** The name of its runner; null for one that has not started and goes to the service's usual one. */
  readonly runner: string | null;
  /** Where its programs run (`ProcessRunner.scope`); null before it starts. */
  readonly reach: string | null;
  readonly process: RunProcess | null;
  /** Its program takes messages of people while it works. */
  readonly takesMessages: boolean;
  /** Its program can end its turn and keep its session. */
  readonly takesInterrupt: boolean;
  /** The machine of its program, as the engine names it. */
  readonly node: string | null;
  /** A sentence: why its program does not run yet. */
  readonly waitsFor: string | null;
  /** Where its agent's runs on the machines of services work. */
  readonly workspace: WorkspaceView | null;
  /** The interactions by which its program asks people now, oldest first. */
  readonly permissionRequests: readonly { readonly id: InteractionId; readonly issueId: IssueId }[];
  /** Last lines of output. */
  readonly lastOutput: string | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  /** When its events and log were deleted; null: they are kept. */
  readonly detailsDeletedAt: Instant | null;
  readonly wakes: readonly {
    readonly id: WakeId;
    readonly reason: string;
    readonly status: string;
    readonly endReason: string | null;
    readonly createdAt: Instant;
  }[];
}

/** A run with the facts that decide what happens next, and what may be done with it. */
export interface RunInDetail {
  readonly run: RunRecord;
  readonly agent: RunFacts["agent"];
  readonly issue: RunFacts["issue"];
  readonly situation: Omit<RunSituation, "agent">;
  /** The time of these facts. */
  readonly at: Instant;
}

/** A stop of a running run. */
export interface RequestedStop {
  readonly id: RunId;
  readonly reason: StopReason;
  /** False as long as the program of an interrupted run may end by itself. */
  readonly isOverdue: boolean;
}

/** A message of a person to a run. */
export interface RunMessageView extends Omit<RunMessage, "agentId" | "issueId" | "sentAt"> {
  readonly authorName: string | null;
  /** The run that took it up in its prompt. */
  readonly nextRunId: RunId | null;
  /** An earlier run, which ended in doubt, may have had it, too. */
  readonly mayBeRepeated: boolean;
}

/** An event of a run. */
export interface RunEventView {
  readonly runId: RunId;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly type: string;
  readonly level: "info" | "warn" | "error";
  readonly message: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
}

/** A part of a run's stored log, in bytes of the whole. */
export interface LogSegmentView {
  readonly byteOffset: number;
  readonly bytes: number;
  readonly blobKey: string;
}

/** When a run began and ended, for what shows many of them next to each other. */
export interface RecentRun extends Pick<RunView, "id" | "agentId" | "issueIdentifier" | "status"> {
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
}

/** Selects runs: all given conditions must hold. */
export interface RunFilter {
  readonly companyId: CompanyId;
  readonly agentId?: AgentId | undefined;
  readonly issueId?: IssueId | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly errorCode?: string | undefined;
  /** Queued from then on. */
  readonly from?: Instant | undefined;
  /** Queued before then. */
  readonly to?: Instant | undefined;
  /** Ended then or later. */
  readonly finishedFrom?: Instant | undefined;
  /** Ended before then. */
  readonly finishedTo?: Instant | undefined;
}

/** The outcome of a wake, for its creator. */
export interface WakeOutcomeView {
  readonly wakeId: WakeId;
  /** The run that it created or joined; null while another run must end first, and where it was skipped. */
  readonly id: RunId | null;
  /** The run's status; `deferred` while another run must end first; the wake's where it was skipped or cancelled. */
  readonly status: string;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly createdAt: Instant;
}

/** The task of a claimed run, for its prompt and its environment. */
export interface RunTask {
  readonly companyName: string;
  readonly issue: {
    readonly identifier: string;
    readonly title: string;
    readonly description: string | null;
    readonly status: string;
    readonly priority: string;
    /** The person to whom it is assigned. */
    readonly assigneeUserName: string | null;
  } | null;
  /** The comments that woke the agent, oldest first. */
  readonly comments: readonly {
    readonly id: string;
    readonly author: string;
    readonly body: string;
    readonly location: CommentLocation | null;
    readonly createdAt: Instant;
  }[];
  /** Approvals whose decision woke the agent, in their current state, oldest decision first. */
  readonly decisions: readonly {
    readonly id: ApprovalId;
    readonly type: string;
    readonly status: string;
    readonly note: string | null;
    /** Issues linked to the approval. */
    readonly issueIds: readonly IssueId[];
  }[];
  /** Ids of the wakes' comments, oldest first. */
  readonly commentIds: readonly string[];
  /** The house rules of the company; empty: none. */
  readonly houseRules: string;
  /** Whether earlier runs left messages of people to it. */
  readonly hasMessages: boolean;
  /** Whether the program of the agent's last run with this adapter listed the service's tools. */
  readonly knowsTools: boolean;
}

/** A part of the runs of a kind, and how many there are. */
export interface CountedRuns {
  readonly count: number;
  readonly runs: readonly RunView[];
}

export interface RunPulse {
  /** In order of their start. */
  readonly running: CountedRuns;
  /** Those that start when a slot is free, in order of their queue. */
  readonly queued: CountedRuns;
  /** Queued ones that wait for something else: a person, the provider of their account, the release after a restore. */
  readonly waiting: CountedRuns;
  /** Failed by themselves; the last first, as the next. */
  readonly failed: CountedRuns;
  /** The service stopped or lost them. */
  readonly interrupted: CountedRuns;
}

export interface RunViews {
  /** Newest first. */
  list(filter: RunFilter, page: PageRequest): Effect.Effect<Page<RunView>, CursorInvalid>;
  /** The live runs of a company, and those that failed since. */
  pulse(companyId: CompanyId, since: Instant): Effect.Effect<RunPulse>;
  /** The runs of a company that ended since, and those that run; the last started first, at most 1,000. */
  recent(companyId: CompanyId, since: Instant): Effect.Effect<readonly RecentRun[]>;
  get(id: RunId): Effect.Effect<RunInDetail, RunNotFound>;
  /** Dies where the wake is missing: its caller has just created it. */
  ofWake(id: WakeId): Effect.Effect<WakeOutcomeView>;
  /** Fails where the events and the log were deleted. Ask after reading them: they are deleted at once. */
  requireDetails(id: RunId): Effect.Effect<void, RunDetailsDeleted>;
  events(runId: RunId, afterSeq: number, page: PageRequest): Effect.Effect<Page<RunEventView>, CursorInvalid>;
  /** The segment in which `offset` lies, and those after it that end within `limitBytes` from there. */
  logSegments(runId: RunId, offset: number, limitBytes: number): Effect.Effect<readonly LogSegmentView[]>;
  task(runId: RunId): Effect.Effect<RunTask>;
  /** The span of the work that first woke its agent; null where that was not traced. */
  causedBy(runId: RunId): Effect.Effect<string | null>;
  /** Whether the program of the run has listed the service's tools. */
  toolsListed(runId: RunId): Effect.Effect<boolean>;
  /** Running runs of a service that have a stop request. */
  stopsRequested(serviceId: ServiceId): Effect.Effect<readonly RequestedStop[]>;
  /** Those of the running runs to which people have something to say; an interrupt comes first. */
  messagesFor(
    ids: readonly RunId[],
  ): Effect.Effect<readonly { readonly id: RunId; readonly kind: "message" | "interrupt" }[]>;
  /** Messages of people to a run, oldest first. */
  messages(runId: RunId, page: PageRequest): Effect.Effect<Page<RunMessageView>, CursorInvalid>;
  /** Dies where it is missing: its caller has just created it. */
  message(id: RunMessageId): Effect.Effect<RunMessageView>;
  /** Running runs of a service, according to the table. */
  supervisedBy(serviceId: ServiceId): Effect.Effect<readonly Run[]>;
  /** Returns ended runs among the ids: a process with such an id is a leftover. */
  endedAmong(ids: readonly RunId[]): Effect.Effect<readonly RunId[]>;
}
