import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { McpServerForm } from "./mcp-server-form.tsx";

type Server = AnswerOf<"mcpServers.list">[number];

/** The servers whose tools the company gives to its agents' programs. */
export const McpServers = () => {
  const { id: companyId } = useCompany();
  const mayManage = useMayHere("manageMcpServers");
  const say = useToasts();
  const [edited, setEdited] = useState<Server | "new" | null>(null);
  const [removing, setRemoving] = useState<Server | null>(null);
  const servers = useRead("mcpServers.list", { companyId });
  const test = useWrite("mcpServers.update");
  const remove = useWrite("mcpServers.remove", {
    onDone: () => setRemoving(null),
    onRefused: () => setRemoving(null),
  });
  const error = servers.error ?? test.error ?? remove.error;
  return (
    <Section anchor="mcp-servers" title="MCP servers">
      <p className="faint">
        Their tools are available to claude, codex, opencode and ACP agents from the next run.
      </p>
      {error === null ? null : <Problem error={error} />}
      {servers.isSuccess && servers.data.length === 0 ? <p className="faint">No MCP servers yet</p> : null}
      <ul className="plain-list" aria-label="MCP servers">
        {(servers.data ?? []).map((server) => (
          <li key={server.id} className="row list-row">
            <ServerFacts server={server} />
            {mayManage ? (
              <>
                <Button
                  small
                  busy={test.busy}
                  onClick={() =>
                    test.run(
                      { mcpServerId: server.id },
                      { onSuccess: () => say.done(`${server.name} tested`) },
                    )
                  }
                >
                  Test<span className="only-read"> {server.name}</span>
                </Button>
                <Button small onClick={() => setEdited(server)}>
                  Edit<span className="only-read"> {server.name}</span>
                </Button>
                <IconButton
                  icon="trash"
                  small
                  label={`Remove ${server.name}`}
                  onClick={() => setRemoving(server)}
                />
              </>
            ) : null}
          </li>
        ))}
      </ul>
      {mayManage && edited === null ? (
        <Button small icon="plus" onClick={() => setEdited("new")}>
          Add an MCP server
        </Button>
      ) : null}
      {edited === null ? null : (
        <McpServerForm
          key={edited === "new" ? "new" : edited.id}
          server={edited === "new" ? null : edited}
          onDone={() => setEdited(null)}
        />
      )}
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove ${removing.name}?`}
          verb="Remove"
          busy={remove.busy}
          onConfirm={() => remove.run({ mcpServerId: removing.id })}
          onClose={() => setRemoving(null)}
        >
          New runs start without its tools. Live runs keep them.
        </ConfirmDialog>
      )}
    </Section>
  );
};

const ServerFacts = ({ server }: { readonly server: Server }) => {
  const { name, url, command, tools, testedAt } = server;
  return (
    <details className="grow">
      <summary>
        {name}
        <span className="faint">
          {" "}
          · {url ?? command} · {receivers(server)} ·{" "}
          {tools === null ? "not tested" : `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`}
        </span>
      </summary>
      {tools === null ? (
        <p className="faint">Commands can be tested only when agents run on this machine.</p>
      ) : (
        <ul>
          {tools.map((tool) => (
            <li key={tool.name}>
              {tool.name} <span className="faint">{tool.description}</span>
            </li>
          ))}
        </ul>
      )}
      {testedAt === null ? null : (
        <p className="faint">
          Tested <Time at={testedAt} />
        </p>
      )}
    </details>
  );
};

const receivers = ({ allAgents, agentIds, roles }: Server): string => {
  if (allAgents) return "for all agents";
  const chosen =
    agentIds.length === 0 ? [] : [`${agentIds.length} ${agentIds.length === 1 ? "agent" : "agents"}`];
  const names = [...chosen, ...roles.map((role) => `role ${role}`)];
  return names.length === 0 ? "for no agent" : `for ${names.join(", ")}`;
};
