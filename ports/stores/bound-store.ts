import type * as Effect from "effect/Effect";
import type { Bound } from "../../core/model/shared/bounds.ts";
import type {
  AgentId,
  ApprovalId,
  CompanyId,
  IssueId,
  RoutineId,
  UserId,
} from "../../core/model/shared/ids.ts";

/** The record to which each bound applies. The rounds of an approval are counted by its `payloadRevision`. */
export interface BoundedBy extends Record<Exclude<Bound, "approvalRounds">, string> {
  readonly openApprovals: AgentId;
  readonly openInteractions: AgentId;
  readonly approvalIssues: ApprovalId;
  readonly issuesOfPerson: UserId;
  readonly blockedIssues: IssueId;
  readonly documents: IssueId;
  readonly labels: CompanyId;
  readonly routinesOfAgent: AgentId;
  readonly eventSubscriptions: CompanyId;
  readonly triggers: RoutineId;
}

export type Counted = keyof BoundedBy;

export interface BoundStore {
  /** How many there are. Those of a company are counted in it. */
  count<Of extends Counted>(of: Of, companyId: CompanyId, id: BoundedBy[Of]): Effect.Effect<number>;
}
