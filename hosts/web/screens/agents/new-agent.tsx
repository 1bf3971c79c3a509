import { useState } from "react";
import { useLocation } from "wouter";
import { useRead, useWrite } from "../../live/calls.ts";
import { AdapterFields, configOf, useConfigSchema } from "../../parts/adapter-fields.tsx";
import { Button } from "../../parts/button.tsx";
import { Combobox } from "../../parts/combobox.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, SelectField, TextField } from "../../parts/field.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";

export const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const adapters = useRead("adapters.list", {});
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const [name, setName] = useState("");
  const [role, setRole] = useState("engineer");
  const [reportsTo, setManager] = useState<string | null>(null);
  const [budget, setBudget] = useState("");
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
    <Dialog title="Hire an agent" onClose={onClose}>
      <Form
        label="Hire an agent"
        error={create.error}
        onSubmit={() =>
          create.run({
            companyId,
            name,
            role,
            adapterType,
            adapterConfig: configOf(schema, config) as never,
            ...(reportsTo === null ? {} : { reportsTo }),
            ...(budget === "" ? {} : { budgetMonthlyCents: Math.round(Number(budget) * 100) }),
          })
        }
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={500}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Role"
          name="role"
          required
          value={role}
          onChange={(event) => setRole(event.target.value)}
        />
        <Field label="Reports to" name="reportsTo">
          {({ id }) => (
            <Combobox
              id={id}
              label="Reports to"
              options={agents
                .filter(({ status }) => status !== "terminated")
                .map((each) => ({ value: each.id, label: each.name }))}
              value={reportsTo}
              onChange={setManager}
              placeholder="The board"
              clearable
            />
          )}
        </Field>
        <SelectField
          label="Adapter"
          name="adapterType"
          hint="What runs the agent's program."
          options={types.map(({ type }) => ({ value: type!, label: type! }))}
          value={adapterType}
          onChange={(event) => setAdapter(event.target.value)}
        />
        <AdapterFields schema={schema} values={config} onChange={setConfig} />
        <TextField
          label="Monthly budget in dollars"
          name="budgetMonthlyCents"
          type="number"
          min="0"
          step="0.01"
          hint="Empty: no limit. At 100 % its runs are ended."
          value={budget}
          onChange={(event) => setBudget(event.target.value)}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={create.busy}>
            Hire agent
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
