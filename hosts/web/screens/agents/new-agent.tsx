import { useState } from "react";
import { useLocation } from "wouter";
import { useRead, useWrite } from "../../live/calls.ts";
import { AdapterFields, configOf, useConfigSchema } from "../../parts/adapter-fields.tsx";
import { AgentField } from "../../parts/agent-field.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TimerNote } from "../../parts/timer-note.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";

export const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const adapters = useRead("adapters.list", {});
  const [name, setName] = useState("");
  const [role, setRole] = useState("engineer");
  const [reportsTo, setManager] = useState<string | null>(null);
  const [budget, setBudget] = useState("");
  const [minutes, setMinutes] = useState("");
  const [onlyWithWork, setOnlyWithWork] = useState(false);
  const heartbeat =
    Number(minutes) > 0
      ? { enabled: true, intervalSec: Math.round(Number(minutes) * 60), onlyWithWork }
      : null;
  const [adapterType, setAdapter] = useState("process");
  const [config, setConfig] = useState<Readonly<Record<string, string>>>({});
  const schema = useConfigSchema(adapterType);
  const create = useWrite("agents.create", {
    onDone: ({ id, name: hired }) => {
      onClose();
      go(here(`/agents/${id}`));
      say.done(`${hired} is hired.`);
    },
  });
  const types = (adapters.data ?? []).filter(({ type }) => type !== null);
  return (
    <FormDialog
      title="Hire an agent"
      verb="Hire agent"
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          name,
          role,
          adapterType,
          adapterConfig: configOf(schema, config) as never,
          ...(heartbeat === null ? {} : { runtimeConfig: { heartbeat } }),
          ...(reportsTo === null ? {} : { reportsTo }),
          ...(budget === "" ? {} : { budgetMonthlyCents: Math.round(Number(budget) * 100) }),
        })
      }
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={500} value={name} onChange={setName} />
      <TextField label="Role" name="role" required value={role} onChange={setRole} />
      <AgentField
        label="Reports to"
        name="reportsTo"
        value={reportsTo}
        onChange={setManager}
        placeholder="The board"
        clearable
      />
      <SelectField
        label="Adapter"
        name="adapterType"
        hint="What runs the agent's program."
        options={types.map(({ type, label }) => ({ value: type!, label }))}
        value={adapterType}
        onChange={setAdapter}
      />
      <AdapterFields
        companyId={companyId}
        adapterType={adapterType}
        schema={schema}
        values={config}
        onChange={setConfig}
      />
      <TextField
        label="Runs every … minutes by itself"
        name="runtimeConfig"
        type="number"
        min="0"
        hint="Empty: it runs only when it is woken, by an issue, a comment or a person."
        value={minutes}
        onChange={setMinutes}
      />
      {heartbeat === null ? null : (
        <>
          <CheckField
            label="Only while it has work"
            name="onlyWithWork"
            checked={onlyWithWork}
            onChange={setOnlyWithWork}
          />
          <TimerNote heartbeat={heartbeat} companyId={companyId} agentId={null} />
        </>
      )}
      <TextField
        label="Monthly budget in dollars"
        name="budgetMonthlyCents"
        type="number"
        min="0"
        step="0.01"
        hint="Empty: no limit. At 100 % its runs are ended."
        value={budget}
        onChange={setBudget}
      />
    </FormDialog>
  );
};
