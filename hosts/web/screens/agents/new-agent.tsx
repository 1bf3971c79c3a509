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

/** The fields of the form, and the call that hires. */
const useNewAgent = (onClose: () => void) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const [fields, setFields] = useState({
    name: "",
    role: "engineer",
    reportsTo: null as string | null,
    adapterType: "process",
    config: {} as Readonly<Record<string, string>>,
    minutes: "",
    onlyWithWork: false,
    budget: "",
  });
  const { name, role, reportsTo, adapterType, config, minutes, onlyWithWork, budget } = fields;
  const schema = useConfigSchema(adapterType);
  const create = useWrite("agents.create", {
    onDone: ({ id, name: hired }) => {
      onClose();
      go(here(`/agents/${id}`));
      say.done(`${hired} is hired.`);
    },
  });
  const heartbeat =
    Number(minutes) > 0
      ? { enabled: true, intervalSec: Math.round(Number(minutes) * 60), onlyWithWork }
      : null;
  return {
    companyId,
    fields,
    set: (changed: Partial<typeof fields>) => setFields((before) => ({ ...before, ...changed })),
    schema,
    heartbeat,
    create,
    hire: () =>
      create.run({
        companyId,
        name,
        role,
        adapterType,
        adapterConfig: configOf(schema, config) as never,
        ...(heartbeat === null ? {} : { runtimeConfig: { heartbeat } }),
        ...(reportsTo === null ? {} : { reportsTo }),
        ...(budget === "" ? {} : { budgetMonthlyCents: Math.round(Number(budget) * 100) }),
      }),
  };
};

export const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const { companyId, fields, set, schema, heartbeat, create, hire } = useNewAgent(onClose);
  const adapters = useRead("adapters.list", {});
  const types = (adapters.data ?? []).filter(({ type }) => type !== null);
  return (
    <FormDialog title="Hire an agent" verb="Hire agent" write={create} onSubmit={hire} onClose={onClose}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={500}
        value={fields.name}
        onChange={(name) => set({ name })}
      />
      <TextField label="Role" name="role" required value={fields.role} onChange={(role) => set({ role })} />
      <AgentField
        label="Reports to"
        name="reportsTo"
        value={fields.reportsTo}
        onChange={(reportsTo) => set({ reportsTo })}
        placeholder="The board"
        clearable
      />
      <SelectField
        label="Adapter"
        name="adapterType"
        hint="What runs the agent's program."
        options={types.map(({ type, label }) => ({ value: type!, label }))}
        value={fields.adapterType}
        onChange={(adapterType) => set({ adapterType })}
      />
      <AdapterFields
        companyId={companyId}
        adapterType={fields.adapterType}
        schema={schema}
        values={fields.config}
        onChange={(config) => set({ config })}
      />
      <TextField
        label="Runs every … minutes by itself"
        name="runtimeConfig"
        type="number"
        min="0"
        hint="Empty: it runs only when it is woken, by an issue, a comment or a person."
        value={fields.minutes}
        onChange={(minutes) => set({ minutes })}
      />
      {heartbeat === null ? null : (
        <>
          <CheckField
            label="Only while it has work"
            name="onlyWithWork"
            checked={fields.onlyWithWork}
            onChange={(onlyWithWork) => set({ onlyWithWork })}
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
        value={fields.budget}
        onChange={(budget) => set({ budget })}
      />
    </FormDialog>
  );
};
