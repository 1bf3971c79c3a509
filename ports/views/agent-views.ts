import type * as Effect from "effect/Effect";
import type { Agent, AgentNotFound } from "../../core/model/agents/agent.ts";
import type { AgentConfig } from "../../core/model/agents/agent-config.ts";
import type { AgentKeyNotFound } from "../../core/model/agents/agent-key.ts";
import type { AgentStatus, PauseReason } from "../../core/model/agents/agent-status.ts";
import type { Holds } from "../../core/model/agents/holds.ts";
import type { SituationFacts } from "../../core/model/agents/situation-facts.ts";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type { RunEnd } from "../../core/model/runs/run-status.ts";
import type { AgentId, AgentKeyId, CompanyId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { AgentConfigRevision } from "../stores/agent-store.ts";
import type { CursorInvalid, JsonText, Page, PageRequest } from "./page.ts";
import type { WorkspaceView } from "./volume-views.ts";

export interface CurrentRun {
  readonly id: RunId;
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly issueTitle: string | null;
  readonly wakeReason: string;
  readonly startedAt: Instant;
}

/** adapterConfig is masked: it contains no values of variables. */
export interface AgentView extends AgentConfig {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly urlKey: string;
  readonly status: AgentStatus;
  readonly pauseReason: PauseReason | null;
  readonly errorReason: string | null;
  /** The issue that it works on now; where it has several runs, that of the one that began first. */
  readonly currentRun: CurrentRun | null;
  /** Where its runs on the machines of services work; null before the first. */
  readonly workspace: WorkspaceView | null;
  /** Spend of the current UTC month. */
  readonly spentMonthlyCents: number;
  readonly lastHeartbeatAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The same as it is stored; `showAgent` makes what its readers see. */
export interface AgentRecord
  extends Omit<AgentView, "status" | "pauseReason">,
    Pick<Agent, "lifecycleState" | keyof Holds> {
  readonly companyStatus: CompanyStatus;
}

/** With the fact on which the actions on it depend in addition. */
export interface ActedOnAgent extends AgentRecord {
  /** Whether a run of it is running where its workspace is. */
  readonly usesWorkspace: boolean;
}

/** As listed: what a person may make long stays the text that is stored, which nobody between the database and the reader parses. */
export type ListedAgent<Of extends AgentRecord = AgentRecord> = Omit<Of, "adapterConfig" | "metadata"> & {
  readonly adapterConfig: JsonText<AgentView["adapterConfig"]>;
  readonly metadata: JsonText<NonNullable<AgentView["metadata"]>> | null;
};

export interface AgentDetail extends ActedOnAgent {
  /** The settings whose secret has too short a value to be masked. */
  readonly shortBindings: readonly string[];
  /** Nearest manager first, at most 50. */
  readonly chainOfCommand: readonly {
    readonly id: AgentId;
    readonly name: string;
    readonly role: string;
    readonly title: string | null;
  }[];
}

/** A key without its hash. */
export interface AgentKeyView {
  readonly id: AgentKeyId;
  readonly agentId: AgentId;
  readonly name: string;
  readonly createdAt: Instant;
  readonly lastUsedAt: Instant | null;
  readonly revokedAt: Instant | null;
}

/** Both configurations are masked. */
export type AgentConfigRevisionView = AgentConfigRevision;

/** An agent in the chain of command. */
export interface OrgMember
  extends Pick<
    Agent,
    "id" | "name" | "role" | "title" | "reportsTo" | "lifecycleState" | "errorReason" | keyof Holds
  > {
  readonly companyStatus: CompanyStatus;
  readonly hasRunningRun: boolean;
}

/** The stored facts about what an agent does and why (`situationOf`). */
export interface StoredSituation extends SituationFacts {
  readonly name: string;
  readonly currentRun: CurrentRun | null;
  readonly adapterType: string;
  /** null: its runs go to the service's usual one. */
  readonly runner: string | null;
  readonly workspace: WorkspaceView | null;
}

/** The work of an agent since a time. */
export interface AgentDay {
  /** Ended runs by their status, and how many began. */
  readonly runs: { readonly started: number } & Readonly<Record<RunEnd, number>>;
  readonly comments: number;
  /** Issues that it closed as done. */
  readonly done: readonly { readonly id: IssueId; readonly identifier: string; readonly title: string }[];
}

export interface AgentViews {
  /** By name, terminated ones last. */
  list(companyId: CompanyId, at: Instant): Effect.Effect<readonly ListedAgent[]>;
  listActedOn(companyId: CompanyId, at: Instant): Effect.Effect<readonly ListedAgent<ActedOnAgent>[]>;
  get(id: AgentId, at: Instant): Effect.Effect<AgentDetail, AgentNotFound>;
  /**
   * The facts about one agent, or about all of a company that are not terminated, by name. With the first runs of each;
   * the run `runId` is among them while it is live.
   */
  situations(
    of: { readonly agentId: AgentId; readonly runId?: RunId } | { readonly companyId: CompanyId },
    at: Instant,
  ): Effect.Effect<readonly StoredSituation[]>;
  /** Its work since then. */
  day(id: AgentId, since: Instant): Effect.Effect<AgentDay>;
  /** Those that are not terminated, by name. */
  org(companyId: CompanyId): Effect.Effect<readonly OrgMember[]>;
  keys(agentId: AgentId): Effect.Effect<readonly AgentKeyView[]>;
  key(id: AgentKeyId): Effect.Effect<AgentKeyView, AgentKeyNotFound>;
  /** Newest first. */
  revisions(agentId: AgentId, page: PageRequest): Effect.Effect<Page<AgentConfigRevisionView>, CursorInvalid>;
}
