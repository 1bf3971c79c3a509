import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId } from "../shared/ids.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";
import { mayMove } from "../shared/moves.ts";
import { type AgentConfig, leastIntervalSec } from "./agent-config.ts";
import { agentMoves, type LifecycleState } from "./agent-status.ts";
import type { Holds } from "./holds.ts";
import type { GrantedPath } from "./named-paths.ts";
import { urlKeyOf } from "./url-key.ts";
import type { Belonging } from "./volume.ts";

export interface Agent extends AgentConfig, Holds, Belonging {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly urlKey: string;
  readonly lifecycleState: LifecycleState;
  /** Paths of the service's machine in its configuration that an instance admin has set. */
  readonly grantedPaths: readonly GrantedPath[];
  /** Why its last run failed; null when it did not. */
  readonly errorReason: string | null;
  readonly lastHeartbeatAt: Instant | null;
  /** When its timer fires next; null when it has none. */
  readonly nextTimerAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class AgentNotFound extends refusal("agent_not_found", "not_found", "Agent not found.") {}

export class UrlKeyTaken extends refusal(
  "agent_name_taken",
  "conflict",
  "Another agent of the company already uses this name in its URL. Choose another name.",
) {}

export class AgentTerminated extends refusal(
  "agent_terminated",
  "conflict",
  "The agent is terminated. This can't be undone.",
) {}

export class AgentPendingApproval extends refusal(
  "pending_approval_agent_config_frozen",
  "conflict",
  "This agent is pending approval. You can change it once the hire is decided.",
) {}

export class NotADraft extends refusal(
  "agent_not_a_draft",
  "conflict",
  "The agent has already been hired or terminated.",
) {}

export class AdapterUnknown extends refusal(
  "adapter_unknown",
  "unprocessable",
  "No adapter of this type is loaded. List the adapters to see which are.",
) {}

export class AdapterConfigInvalid extends refusal(
  "adapter_config_invalid",
  "unprocessable",
  "The adapter would reject this configuration when a run starts.",
) {}

export interface NewAgent extends AgentConfig, Pick<Agent, "grantedPaths"> {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly lifecycleState: LifecycleState;
  readonly at: Instant;
}

export const newAgent = ({ at, ...agent }: NewAgent): Agent => ({
  ...agent,
  urlKey: urlKeyOf(agent.name, agent.id),
  heldManuallyAt: null,
  heldByBudgetAt: null,
  companyHeldByBudgetAt: null,
  volume: null,
  volumeSince: null,
  errorReason: null,
  lastHeartbeatAt: null,
  nextTimerAt: nextTimer(agent, at),
  createdAt: at,
  updatedAt: at,
});

/** Returns when the timer of that configuration fires next, counted from `from`. */
export const nextTimer = (config: Pick<AgentConfig, "runtimeConfig">, from: Instant): Instant | null => {
  const heartbeat = config.runtimeConfig.heartbeat;
  return heartbeat?.enabled && heartbeat.intervalSec
    ? addSeconds(from, Math.max(leastIntervalSec, heartbeat.intervalSec))
    : null;
};

/** Makes a draft that nothing wakes or changes until its hire is decided. */
export const newDraft = (agent: Omit<NewAgent, "lifecycleState">): Agent => ({
  ...newAgent({ ...agent, lifecycleState: "pending_approval" }),
  nextTimerAt: null,
});

/** Returns the agent with another configuration and the matching urlKey; for a draft, this changes the proposal. */
export const withConfig = (agent: Agent, config: AgentConfig, at: Instant): Agent => ({
  ...agent,
  ...config,
  urlKey: config.name === agent.name ? agent.urlKey : urlKeyOf(config.name, agent.id),
  updatedAt: at,
});

/** Hires a draft exactly as it was approved. */
export const hire = (draft: Agent, config: AgentConfig, at: Instant): Result.Result<Agent, NotADraft> =>
  draft.lifecycleState !== "active" && mayMove(agentMoves, draft.lifecycleState, "idle")
    ? Result.succeed({
        ...withConfig(draft, config, at),
        lifecycleState: "active",
        nextTimerAt: nextTimer(config, at),
      })
    : Result.fail(new NotADraft({ lifecycleState: draft.lifecycleState }));

/** Returns why the agent cannot be changed, or null. */
export const unchangeable = ({
  lifecycleState,
}: Pick<Agent, "lifecycleState">): AgentTerminated | AgentPendingApproval | null => {
  if (lifecycleState === "terminated") return new AgentTerminated();
  return lifecycleState === "pending_approval" ? new AgentPendingApproval() : null;
};

/**
 * Returns the agent with another configuration. A changed interval counts from now; an unchanged one keeps its next
 * tick.
 */
export const configure = (
  agent: Agent,
  config: AgentConfig,
  at: Instant,
): Result.Result<Agent, AgentTerminated | AgentPendingApproval> => {
  const refused = unchangeable(agent);
  if (refused !== null) return Result.fail(refused);
  const before = agent.runtimeConfig.heartbeat;
  const after = config.runtimeConfig.heartbeat;
  const sameTimer = before?.enabled === after?.enabled && before?.intervalSec === after?.intervalSec;
  return Result.succeed({
    ...withConfig(agent, config, at),
    nextTimerAt: sameTimer ? agent.nextTimerAt : nextTimer(config, at),
  });
};

export const pause = (
  agent: Agent,
  at: Instant,
): Result.Result<Agent, AgentTerminated | AgentPendingApproval> => {
  const refused = unchangeable(agent);
  if (refused !== null) return Result.fail(refused);
  return Result.succeed(
    agent.heldManuallyAt !== null ? agent : { ...agent, heldManuallyAt: at, updatedAt: at },
  );
};

/** Lifts the manual hold and clears the last error; other holds stay. */
export const resume = (
  agent: Agent,
  at: Instant,
): Result.Result<Agent, AgentTerminated | AgentPendingApproval> => {
  const refused = unchangeable(agent);
  return refused === null
    ? Result.succeed({ ...agent, heldManuallyAt: null, errorReason: null, updatedAt: at })
    : Result.fail(refused);
};

/** Terminates permanently; repeating it changes nothing. */
export const terminate = (agent: Agent, at: Instant): Agent =>
  agent.lifecycleState === "terminated"
    ? agent
    : { ...agent, lifecycleState: "terminated", nextTimerAt: null, updatedAt: at };
