import type * as Effect from "effect/Effect";
import type { GateFacts, NamedGate } from "../../core/issues/gates/judge-gates.ts";
import type { Review } from "../../core/issues/gates/review.ts";
import type { Gate } from "../../core/projects/gate.ts";
import type { AgentId, CompanyId, IssueId, ProjectId } from "../../core/shared/ids.ts";

export interface GateStore {
  /** In the order given. */
  ofProject(projectId: ProjectId): Effect.Effect<readonly NamedGate[]>;
  replace(companyId: CompanyId, projectId: ProjectId, gates: readonly Gate[]): Effect.Effect<void>;
  /** The facts by which the gates of an issue are judged, and the agents that left work on it. */
  factsOf(
    issueId: IssueId,
  ): Effect.Effect<Omit<GateFacts, "gates"> & { readonly workers: readonly AgentId[] }>;
  /** Stores it in place of the reviewer's earlier one. */
  putReview(review: Review): Effect.Effect<void>;
}
