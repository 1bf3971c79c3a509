import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { listedIn } from "../../nouns/agents/agent-grants.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { boundTo } from "../../widgets/bound.ts";
import { Button } from "../../widgets/button.tsx";
import { CheckField, Form, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { type McpValueRow, McpValueRows } from "./mcp-value-rows.tsx";

type Server = AnswerOf<"mcpServers.list">[number];

interface Draft {
  readonly name: string;
  readonly kind: "url" | "command";
  readonly url: string;
  readonly allowPrivateHost: boolean;
  readonly command: string;
  /** One a line. */
  readonly args: string;
  readonly values: readonly McpValueRow[];
  readonly allAgents: boolean;
  readonly agentIds: readonly string[];
  readonly roles: string;
}

const draftOf = (server: Server | null): Draft => ({
  name: server?.name ?? "",
  kind: server !== null && server.url === null ? "command" : "url",
  url: server?.url ?? "",
  allowPrivateHost: server?.allowPrivateHost ?? false,
  command: server?.command ?? "",
  args: (server?.args ?? []).join("\n"),
  values: Object.entries({ ...server?.headers, ...server?.env }).map(([name, value]) => ({
    key: name,
    name,
    secretId: value.type === "plain" ? "" : value.secretId,
    version: value.type === "plain" ? undefined : value.version,
    text: value.type === "plain" ? value.value : (value.prefix ?? ""),
  })),
  allAgents: server?.allAgents ?? true,
  agentIds: server?.agentIds ?? [],
  roles: (server?.roles ?? []).join(", "),
});

const toValue = ({ secretId, version, text }: McpValueRow) =>
  secretId === ""
    ? ({ type: "plain", value: text } as const)
    : ({
        type: "secret_ref",
        secretId,
        ...(version === undefined ? {} : { version }),
        ...(text === "" ? {} : { prefix: text }),
      } as const);

const bodyOf = (draft: Draft) => {
  const values = Object.fromEntries(draft.values.map((row) => [row.name.trim(), toValue(row)]));
  const isUrl = draft.kind === "url";
  return {
    name: draft.name.trim(),
    url: isUrl ? draft.url.trim() : null,
    allowPrivateHost: isUrl && draft.allowPrivateHost,
    headers: isUrl ? values : {},
    command: isUrl ? null : draft.command.trim(),
    args: isUrl ? [] : draft.args.split("\n").filter((arg) => arg !== ""),
    env: isUrl ? {} : values,
    allAgents: draft.allAgents,
    agentIds: draft.allAgents ? [] : [...draft.agentIds],
    roles: draft.allAgents ? [] : listedIn(draft.roles),
  };
};

interface McpServerFormProps {
  /** null: a new one. */
  readonly server: Server | null;
  readonly onDone: () => void;
}

/** Adds or changes a server, which must list its tools before it is stored. */
export const McpServerForm = ({ server, onDone }: McpServerFormProps) => {
  const { id: companyId } = useCompany();
  const [draft, setDraft] = useState(() => draftOf(server));
  const create = useWrite("mcpServers.create", { onDone });
  const update = useWrite("mcpServers.update", { onDone });
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const isUrl = draft.kind === "url";
  return (
    <Form
      label={server === null ? "Add an MCP server" : `Edit ${server.name}`}
      error={create.error ?? update.error}
      onSubmit={() =>
        server === null
          ? create.run({ companyId, ...bodyOf(draft) })
          : update.run({ mcpServerId: server.id, ...bodyOf(draft) })
      }
    >
      <TextField
        label="Name"
        required
        hint="Lowercase words joined by hyphens. Becomes part of the tool names."
        {...boundTo(draft, set).value("name")}
      />
      <SelectField
        label="Kind"
        name="kind"
        value={draft.kind}
        onChange={(kind) => set({ kind })}
        options={[
          { value: "url", label: "At a URL" },
          { value: "command", label: "A command in the agent's sandbox" },
        ]}
      />
      {isUrl ? <UrlFields draft={draft} set={set} /> : <CommandFields draft={draft} set={set} />}
      <McpValueRows
        noun={isUrl ? "header" : "variable"}
        field={isUrl ? "headers" : "env"}
        rows={draft.values}
        onChange={(values) => set({ values })}
      />
      <Receivers draft={draft} set={set} />
      <div className="form-actions">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" kind="main" busy={create.busy || update.busy}>
          {server === null ? "Add" : "Save"}
        </Button>
      </div>
    </Form>
  );
};

interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

const UrlFields = ({ draft, set }: PartProps) => {
  const bound = boundTo(draft, set);
  return (
    <>
      <TextField label="URL" required placeholder="https://tickets.example.com/mcp" {...bound.value("url")} />
      <CheckField label="Allow this machine and private networks" {...bound.checked("allowPrivateHost")} />
    </>
  );
};

const CommandFields = ({ draft, set }: PartProps) => {
  const bound = boundTo(draft, set);
  return (
    <>
      <TextField label="Command" required placeholder="npx" {...bound.value("command")} />
      <TextArea
        label="Arguments"
        hint="One per line. Pass secrets as environment variables, not arguments."
        {...bound.value("args")}
      />
    </>
  );
};

/** The agents that get it. */
const Receivers = ({ draft, set }: PartProps) => {
  const { id: companyId } = useCompany();
  const bound = boundTo(draft, set);
  const agents = useRead("agents.list", { companyId });
  const rows = (agents.data ?? []).filter(({ status }) => status !== "terminated");
  return (
    <>
      <CheckField label="Available to all agents" {...bound.checked("allAgents")} />
      {draft.allAgents ? null : (
        <>
          <TextField label="Roles" hint="Separated by commas." {...bound.value("roles")} />
          {rows.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              name="agentIds"
              checked={draft.agentIds.includes(id)}
              onChange={(isChecked) =>
                set({
                  agentIds: isChecked
                    ? [...draft.agentIds, id]
                    : draft.agentIds.filter((each) => each !== id),
                })
              }
            />
          ))}
        </>
      )}
    </>
  );
};
