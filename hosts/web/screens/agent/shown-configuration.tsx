import { useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { AdapterFact, AdapterFacts, FactValue } from "../../nouns/agents/adapter-facts.tsx";
import { timerText } from "../../nouns/agents/timer-fields.tsx";
import { moneyText } from "../../widgets/money.tsx";

/** An agent's settings in words: secrets by their names, and values as they are. */
export const ShownConfiguration = ({ agent }: { readonly agent: Agent }) => {
  const adapter = useRead("adapters.get", { adapterType: agent.adapterType });
  const { runner, maxCostCents, heartbeat } = agent.runtimeConfig;
  return (
    <dl className="adapter-facts">
      {agent.capabilities === null ? null : (
        <AdapterFact name="Capabilities">{agent.capabilities}</AdapterFact>
      )}
      <AdapterFact name="Adapter">{adapter.data?.label ?? agent.adapterType}</AdapterFact>
      <AdapterFacts adapterType={agent.adapterType} adapterConfig={agent.adapterConfig} />
      <AdapterFact name="Runs">
        {timerText(heartbeat)}
        {heartbeat?.wakeOnDemand === false ? "; not woken by issues, comments or mentions" : ""}
      </AdapterFact>
      {heartbeat?.maxConcurrentRuns === undefined ? null : (
        <AdapterFact name="Maximum concurrent runs">{heartbeat.maxConcurrentRuns}</AdapterFact>
      )}
      {runner === undefined ? null : <AdapterFact name="Runner">{runner}</AdapterFact>}
      {maxCostCents === undefined ? null : (
        <AdapterFact name="Cost of one run">up to {moneyText(maxCostCents)}</AdapterFact>
      )}
      {agent.metadata === null || Object.keys(agent.metadata).length === 0 ? null : (
        <AdapterFact name="Metadata">
          <FactValue value={agent.metadata} />
        </AdapterFact>
      )}
    </dl>
  );
};
