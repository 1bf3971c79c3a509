import { useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { UsageWindows } from "../../nouns/agents/usage-windows.tsx";

/** The windows that programs of the agent's account have reported; nothing where they report none. */
export const AgentUsage = ({ agent: { id, companyId } }: { readonly agent: Agent }) => {
  const { data = [] } = useRead("costs.usageWindows", { companyId });
  const windows = data.filter(({ agentIds }) => agentIds.some((each) => each === id));
  return windows.length === 0 ? null : (
    <section aria-labelledby="agent-usage" className="stack">
      <h2 id="agent-usage">Account usage</h2>
      <UsageWindows windows={windows} />
    </section>
  );
};
