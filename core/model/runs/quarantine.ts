import type { Actor } from "../access/caller.ts";
import { type ActivityEntry, entityTypeOf } from "../activity/activity-entry.ts";
import type { AgentId, CompanyId, IssueId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type LoopKind, loopWindowStart } from "./loop-breaker.ts";

/** Selects quarantined runs: all given conditions apply. */
export interface QuarantinedRuns {
  readonly companyId?: CompanyId;
  readonly issueId?: IssueId;
  readonly agentId?: AgentId;
  readonly quarantinedFor?: LoopKind;
  /** Of agents for which agents alone caused a run on this issue since then. */
  readonly causedOn?: { readonly issueId: IssueId; readonly since: Instant };
}

type Act = Pick<ActivityEntry, "by" | "action" | "entityId" | "at">;

/** A new record has no quarantined run. */
const firstActs: readonly ActivityEntry["action"][] = ["issue.created", "agent.created", "agent.hired"];

/**
 * Which quarantined runs a person's action releases. An action on an issue releases the runs on it, and the excess runs that
 * agents caused with it. An action on an agent releases what agents caused for it. `lastActOfPerson` of the run histories
 * counts from the same actions, so that the gate lets a released run start; a test compares both.
 */
export const releasedByAct = ({ by, action, entityId, at }: Act): readonly QuarantinedRuns[] => {
  if (by.kind !== "board" || firstActs.includes(action)) return [];
  if (entityTypeOf(action) === "issue") {
    const issueId = entityId as IssueId;
    return [{ issueId }, { quarantinedFor: "agents", causedOn: { issueId, since: loopWindowStart(at) } }];
  }
  const isOnAgent = entityTypeOf(action) === "agent" || action === "heartbeat.invoked";
  return isOnAgent ? [{ agentId: entityId as AgentId, quarantinedFor: "agents" }] : [];
};

/** As above, for a wake: on its issue or, where it has none, of its agent. */
export const releasedByWake = (wake: {
  readonly by: Actor;
  readonly agent: { readonly id: AgentId };
  readonly issueId: IssueId | null;
}): readonly QuarantinedRuns[] => {
  if (wake.by.kind !== "board") return [];
  return [wake.issueId === null ? { agentId: wake.agent.id } : { issueId: wake.issueId }];
};

/** The sentence about a quarantined run; `subject` begins it. */
export const quarantined = (subject: string): string =>
  subject === "It" ? `On hold: ${quarantineRule}` : `${subject} is on hold: ${quarantineRule}`;

const quarantineRule = "this run keeps repeating. Comment or retry to continue.";
