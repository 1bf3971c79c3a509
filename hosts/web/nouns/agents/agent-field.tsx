import { takesWork } from "../../../../core/model/agents/takes-work.ts";
import { useRead } from "../../live/calls.ts";
import { Combobox } from "../../widgets/combobox.tsx";
import { Field } from "../../widgets/field.tsx";
import { useCompany } from "../companies/company.tsx";

interface AgentFieldProps {
  readonly label: string;
  readonly name: "agentId" | "assigneeAgentId" | "reportsTo" | "leadAgentId" | "ownerAgentId";
  readonly value: string | null;
  readonly onChange: (agentId: string | null) => void;
  readonly placeholder?: string;
  readonly clearable?: boolean;
}

/** Chooses one of the company's agents; those that work here no longer, or not yet, are not offered. */
export const AgentField = ({ label, name, ...choice }: AgentFieldProps) => {
  const { id: companyId } = useCompany();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  return (
    <Field label={label} name={name}>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          options={agents
            .filter(({ status }) => takesWork(status))
            .map(({ id: value, name: shown }) => ({ value, label: shown }))}
          {...choice}
        />
      )}
    </Field>
  );
};
