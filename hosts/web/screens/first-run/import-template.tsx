import { useState } from "react";
import { type AnswerOf, call, type InputOf, useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, SelectField, TextField } from "../../widgets/field.tsx";

type Template = InputOf<"companies.importTemplate">["template"];
type Company = AnswerOf<"companies.create">;
type Agent = AnswerOf<"agents.create">;

export const CompanyName = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
}) => (
  <TextField label="Company name" name="name" required maxLength={500} value={value} onChange={onChange} />
);

/** The company and the agent that reports to nobody, who gets the first issue. */
const foundOf = async (companyId: string): Promise<{ company: Company; agent: Agent }> => {
  const [company, agents] = await Promise.all([
    call("companies.get", { companyId }),
    call("agents.list", { companyId }),
  ]);
  const first = agents.find(({ reportsTo }) => reportsTo === null) ?? agents[0]!;
  return { company, agent: await call("agents.get", { agentId: first.id }) };
};

/** Makes a company of a template; all of its agents run the adapter that is chosen here. */
export const ImportTemplate = ({
  template,
  name,
  onName,
  onDone,
}: {
  readonly template: Template;
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onDone: (found: { readonly company: Company; readonly agent: Agent }) => void;
}) => {
  const adapters = useRead("adapters.list", {});
  // The agent that reports to nobody comes first.
  const agents = (template.agents ?? []).toSorted(
    (a, b) => Number(a.reportsTo != null) - Number(b.reportsTo != null),
  );
  const [adapterType, setAdapterType] = useState(agents[0]?.adapterType ?? "adapter_a_local");
  const [lost, setLost] = useState<Error | null>(null);
  const create = useWrite("companies.importTemplate", {
    onDone: ({ companyId }) => {
      if (companyId !== null) foundOf(companyId).then(onDone, setLost);
    },
  });
  return (
    <Form
      label="Company"
      error={create.error ?? lost}
      onSubmit={() =>
        create.run({
          name,
          template: { ...template, agents: agents.map((agent) => ({ ...agent, adapterType })) },
        })
      }
    >
      <p>{template.company?.description}</p>
      <ul className="first-run-agents" aria-label="Its agents">
        {agents.map((agent) => (
          <li key={agent.key}>
            <strong>{agent.name}</strong> {agent.capabilities}
          </li>
        ))}
      </ul>
      <CompanyName value={name} onChange={onName} />
      <SelectField
        label="Agent runtime"
        name="adapterType"
        options={
          adapters.data
            ?.filter(({ type }) => type !== null)
            .map(({ type, label }) => ({ value: type!, label: label ?? type! })) ?? [
            { value: adapterType, label: adapterType },
          ]
        }
        value={adapterType}
        onChange={setAdapterType}
      />
      <div className="form-actions">
        <Button type="submit" kind="main" busy={create.busy}>
          Create company with {agents.length} agents
        </Button>
      </div>
    </Form>
  );
};
