import type { IdleFacts } from "../issues/idle-issue.ts";
import type { Caps, GateFacts } from "../runs/gate.ts";
import type { Run } from "../runs/run.ts";
import type { Instant } from "../shared/instant.ts";
import type { Agent } from "./agent.ts";
import type { Holds } from "./holds.ts";

/** The author of an action, and its time. `name` is null for the service, and for a deleted author. */
export interface Act {
  readonly name: string | null;
  readonly at: Instant;
}

/** An issue as sentences name it. */
export interface NamedIssue {
  readonly id: string;
  readonly identifier: string;
}

/** A live run, with the facts about it that the gate needs. */
export interface LiveRunFacts
  extends Pick<
      GateFacts,
      "issue" | "projectHeldByBudgetAt" | "notBefore" | "accountHeldUntil" | "recent" | "isBeingStopped"
    >,
    Pick<Run, "id" | "wakeReason" | "context" | "stopRequestedAt" | "startedAt" | "createdAt"> {
  readonly status: "queued" | "running";
  readonly of: NamedIssue | null;
  /** When the loop breaker quarantined it; a person's action releases it. */
  readonly quarantinedSince: Instant | null;
  readonly waitsForPermission: boolean;
}

/** An open issue of the agent, outside the backlog, for which no run works or is queued. */
export interface IdleIssue extends NamedIssue, Omit<IdleFacts, "isBlocked"> {
  /** The open issues that it waits for. */
  readonly blockers: readonly NamedIssue[];
  readonly since: Instant;
}

/** The stored facts about an agent's situation. */
export interface SituationFacts {
  readonly agent: Pick<
    Agent,
    "id" | "lifecycleState" | keyof Holds | "runtimeConfig" | "errorReason" | "nextTimerAt"
  >;
  readonly company: GateFacts["company"];
  readonly agentCausedRunLimit: number;
  readonly isHeldAsRestored: boolean;
  /** Until when its provider allows no run of its adapter and account; in the future, or null. */
  readonly accountHeldUntil: Instant | null;
  readonly pausedBy: Act | null;
  readonly companyPausedBy: Act | null;
  readonly running: GateFacts["running"];
  /** Running ones first, then queued ones that no person must release. */
  readonly runs: readonly LiveRunFacts[];
  /** The most urgent first. */
  readonly issues: readonly IdleIssue[];
  readonly backlogCount: number;
  /** Those that wait for the board: of its hire, and those that it asked for. */
  readonly approvals: readonly {
    readonly id: string;
    readonly isOfHire: boolean;
    readonly since: Instant;
  }[];
}

/** The facts that the answering service knows itself. */
export interface ServiceFacts {
  readonly caps: Caps;
  /** Why no service starts its runs now, as a sentence: no adapter, no runner, or no host. */
  readonly unavailable: string | null;
  /** Whether that is because its files are on a host that does not answer. */
  readonly isElsewhere: boolean;
  /** Whether that is because its disk is full. */
  readonly isDiskFull: boolean;
}
