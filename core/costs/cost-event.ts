import type { AgentId, CompanyId, IssueId, ProjectId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

export interface CostEvent {
  readonly id: string;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly projectId: ProjectId | null;
  readonly runId: RunId | null;
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  /** unknown: tokens were used, nobody said for how much; shown apart, never as zero. */
  readonly costStatus: "reported" | "priced" | "unknown";
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly costCents: number;
  readonly occurredAt: Instant;
}
