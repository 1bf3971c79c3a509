import { useRead } from "../../live/calls.ts";
import { Problem } from "../../widgets/field.tsx";

/** The MCP servers that the agent's next run gets; Settings has those of the company. */
export const AgentMcpServers = ({ agentId }: { readonly agentId: string }) => {
  const servers = useRead("agents.mcpServers", { agentId });
  return (
    <section aria-labelledby="agent-mcp-servers" className="stack">
      <h2 id="agent-mcp-servers">MCP servers</h2>
      {servers.error === null ? null : <Problem error={servers.error} />}
      {servers.isSuccess && servers.data.length === 0 ? (
        <p className="faint">None. Add MCP servers in Settings.</p>
      ) : null}
      <ul className="plain-list">
        {(servers.data ?? []).map(({ id, name, tools }) => (
          <li key={id} className="list-row">
            {name}
            <span className="faint">
              {" "}
              · {tools === null ? "not tested" : tools.map((tool) => tool.name).join(", ") || "no tools"}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
