import type { Actor } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import type { CompanyStatus } from "../companies/company.ts";
import { obstacleToInvoke, type WakeFacts } from "../runs/may-wake.ts";
import { refusedWake, type WakeRefusal } from "../runs/wake-refusal.ts";
import { NotAllowed } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import { type Agent, AgentTerminated, unchangeable } from "./agent.ts";
import type { Holds } from "./holds.ts";
import { WorkspaceInUse } from "./volume.ts";

/** The facts on which the actions on an agent depend. */
export interface AgentFacts extends Pick<Agent, "id" | "lifecycleState" | "runtimeConfig" | keyof Holds> {
  readonly companyStatus: CompanyStatus;
  /** Whether a run of it is running where its workspace is. */
  readonly usesWorkspace: boolean;
  readonly at: Instant;
}

/** An agent changes and wakes only itself. */
export const refusalOfOther = ({ id }: Pick<Agent, "id">, by: Actor, says: string): NotAllowed | null =>
  by.kind === "agent" && by.agentId !== id ? new NotAllowed(undefined, says) : null;

/** Returns why the agent is not woken by hand, or null. */
export const refusalOfInvoke = (facts: WakeFacts, by: Actor): NotAllowed | WakeRefusal | null => {
  const other = refusalOfOther(facts.agent, by, "Agents can invoke only themselves.");
  if (other !== null) return other;
  const obstacle = obstacleToInvoke(facts);
  return obstacle === null ? null : refusedWake(obstacle);
};

/** Returns why the agent's workspace is not released, or null. */
export const refusalOfRelease = ({
  lifecycleState,
  usesWorkspace,
}: Pick<AgentFacts, "lifecycleState" | "usesWorkspace">): AgentTerminated | WorkspaceInUse | null => {
  if (lifecycleState === "terminated") return new AgentTerminated();
  return usesWorkspace ? new WorkspaceInUse() : null;
};

/** The actions that a reader may take on an agent. */
export const agentActions = callerMayOf<"agent", AgentFacts>("agent", {
  update: (agent, by) =>
    refusalOfOther(agent, by, "Agents can change only themselves.") ?? unchangeable(agent),
  pause: unchangeable,
  resume: unchangeable,
  invoke: (agent, by) =>
    refusalOfInvoke(
      { agent, company: agent.companyStatus, issue: null, projectHeldByBudgetAt: null, at: agent.at },
      by,
    ),
  terminate: null,
  rollback: unchangeable,
  syncSkills: unchangeable,
  manageKeys: unchangeable,
  releaseWorkspace: refusalOfRelease,
});
