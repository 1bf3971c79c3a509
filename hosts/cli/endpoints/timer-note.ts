import type { HeartbeatPolicy } from "../../../core/model/agents/agent-config.ts";
import type { Session } from "../connection/session.ts";
import { money } from "../print/format.ts";

interface Heartbeats {
  readonly heartbeat?: { readonly [Field in keyof HeartbeatPolicy]?: HeartbeatPolicy[Field] | null } | null;
}

/** How many of an agent's last runs the estimate uses. */
const lastRuns = 20;

/**
 * Estimates runs and costs before a command turns on an agent's timer or changes its interval; null for other commands.
 */
export const timerNote = async (
  name: string,
  { client }: Session,
  input: Readonly<Record<string, unknown>>,
): Promise<string | null> => {
  if (name !== "agents.create" && name !== "agents.update") return null;
  const asked = (input.runtimeConfig as Heartbeats | undefined)?.heartbeat;
  if (!asked || (asked.enabled === undefined && asked.intervalSec === undefined)) return null;
  if (name === "agents.create") return sayTimer(asked, []);
  const agent = await client.agents.get({
    agentId: input.agentId as never,
    companyId: input.companyId as never,
  });
  const after = { ...agent.runtimeConfig.heartbeat, ...asked };
  if (!after.enabled) return null;
  const { items } = await client.runs.list({
    companyId: agent.companyId,
    agentId: agent.id,
    limit: lastRuns,
  } as never);
  return sayTimer(
    after,
    items.flatMap(({ costCents }) => costCents ?? []),
  );
};

/** Says how many runs a day a timer starts, and their cost at the average of the last runs. */
export const sayTimer = (
  { enabled, intervalSec, onlyWithWork }: NonNullable<Heartbeats["heartbeat"]>,
  costs: readonly number[],
): string | null => {
  if (!enabled || !intervalSec) return null;
  const perDay = 86_400 / intervalSec;
  const upTo = onlyWithWork ? "up to " : "";
  const runs = `Its timer makes ${upTo}${Number(perDay.toFixed(perDay < 10 ? 1 : 0))} runs a day.`;
  if (costs.length === 0) return `${runs} The cost of a run is not known yet.`;
  const mean = costs.reduce((sum, cents) => sum + cents, 0) / costs.length;
  const last = costs.length === 1 ? "The last run cost" : `The last ${costs.length} runs cost on average`;
  return `${runs} ${last} ${money(Math.round(mean))}: ${upTo}${money(Math.round(mean * perDay))} a day.`;
};
