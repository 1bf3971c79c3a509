import { TextField } from "./field.tsx";

interface AdapterField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
}

/** The settings that an agent of each built-in adapter begins with; the rest is JSON in the agent's configuration. */
const fieldsOf: Readonly<Record<string, readonly AdapterField[]>> = {
  process: [
    {
      name: "command",
      label: "Command",
      hint: "A program of this machine, such as /srv/agent.sh.",
      required: true,
    },
  ],
  http: [{ name: "url", label: "URL", hint: "Is called for each run.", required: true }],
  adapter_a_local: [
    { name: "model", label: "Model", hint: "Empty: the model that `claude` takes by itself." },
  ],
  adapter_b_local: [
    { name: "model", label: "Model", hint: "Empty: the model that `codex` takes by itself." },
  ],
  adapter_c_local: [
    { name: "model", label: "Model", hint: "As provider/model, such as anthropic/claude-sonnet-4-5." },
  ],
};

/** The configuration that was typed: empty fields are left out. */
export const configOf = (type: string, values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    (fieldsOf[type] ?? []).flatMap(({ name }) => {
      const value = values[name]?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );

interface AdapterFieldsProps {
  readonly type: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

export const AdapterFields = ({ type, values, onChange }: AdapterFieldsProps) => (
  <>
    {(fieldsOf[type] ?? []).map(({ name, label, hint, required }) => (
      <TextField
        key={name}
        label={label}
        name="adapterConfig"
        hint={hint}
        required={required}
        value={values[name] ?? ""}
        onChange={(event) => onChange({ ...values, [name]: event.target.value })}
      />
    ))}
  </>
);
