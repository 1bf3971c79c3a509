import { useLocation } from "wouter";
import type { Agent } from "../../live/records.ts";
import { FilteredRuns } from "../../nouns/runs/filtered-runs.tsx";

/** The tab of all runs of the agent. */
export const AgentRuns = ({ agent }: { readonly agent: Agent }) => {
  const [path] = useLocation();
  return <FilteredRuns agentId={agent.id} path={`${path}?tab=runs`} />;
};
