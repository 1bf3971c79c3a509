import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Combobox } from "../../widgets/combobox.tsx";
import { Field, SelectField, TextField } from "../../widgets/field.tsx";
import { useCompany, useMayHere } from "../companies/company.tsx";
import { chooseSecret } from "./agent-draft.ts";
import { type EnvironmentRow, emptyRow } from "./environment.ts";

interface EnvironmentFieldsProps {
  readonly rows: readonly EnvironmentRow[];
  readonly onChange: (rows: readonly EnvironmentRow[]) => void;
  /** Makes a secret for a row, in a dialog outside of this form. */
  readonly onNewSecret: (row: EnvironmentRow) => void;
}

/** The variables of an agent's programs: each a text that its readers see, or a secret, chosen by its name. */
export const EnvironmentFields = ({ rows, onChange, onNewSecret }: EnvironmentFieldsProps) => {
  const change = (changed: EnvironmentRow) =>
    onChange(rows.map((row) => (row.key === changed.key ? changed : row)));
  const [added, setAdded] = useState<EnvironmentRow["key"] | null>(null);
  const add = (from: EnvironmentRow["from"]) => {
    const row = { ...emptyRow(), from };
    setAdded(row.key);
    onChange([...rows, row]);
  };
  return (
    <div className="stack">
      {rows.length === 0 ? (
        <p className="faint">No environment variables yet.</p>
      ) : (
        <ul className="plain-list environment-rows">
          {rows.map((row, at) => (
            <VariableRow
              key={row.key}
              row={row}
              at={at + 1}
              isAdded={row.key === added}
              onChange={change}
              onNewSecret={() => onNewSecret(row)}
              onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
            />
          ))}
        </ul>
      )}
      <div className="row-wrap">
        <Button small icon="key-round" onClick={() => add("secret")}>
          Add a secret
        </Button>
        <Button small icon="plus" onClick={() => add("text")}>
          Add a variable
        </Button>
      </div>
    </div>
  );
};

interface VariableRowProps {
  readonly row: EnvironmentRow;
  readonly at: number;
  /** Just now, by hand: its first field takes the focus. */
  readonly isAdded: boolean;
  readonly onChange: (row: EnvironmentRow) => void;
  readonly onNewSecret: () => void;
  readonly onRemove: () => void;
}

const VariableRow = ({ row, at, isAdded, onChange, onNewSecret, onRemove }: VariableRowProps) => {
  const shown = row.name.trim() === "" ? `variable ${at}` : row.name.trim();
  return (
    <li className="environment-row">
      <TextField
        bare
        label={`Name of ${shown === row.name.trim() ? shown : `variable ${at}`}`}
        name={`adapterConfig.env.${row.name.trim()}`}
        className="input mono"
        placeholder="NAME"
        // The focus follows the button that was pressed.
        focuses={isAdded}
        required
        autoCapitalize="characters"
        spellCheck={false}
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        title="Letters, digits and _, not starting with a digit"
        value={row.name}
        onChange={(name) => onChange({ ...row, name })}
      />
      <SelectField
        bare
        label={`Kind of ${shown}`}
        name={`kind of ${row.key}`}
        options={[
          { value: "secret", label: "Secret" },
          { value: "text", label: "Text" },
        ]}
        value={row.from}
        onChange={(from) => onChange({ ...row, from })}
      />
      {row.from === "secret" ? (
        <SecretField
          label={`Secret of ${shown}`}
          variable={row.name.trim()}
          value={row.secretId}
          onNew={onNewSecret}
          onChange={(secretId) => onChange({ ...row, secretId, version: "latest" })}
        />
      ) : (
        <TextField
          bare
          label={`Value of ${shown}`}
          name={`value of ${row.key}`}
          className="input mono"
          placeholder="Value (visible to everyone who can see this agent)"
          value={row.value}
          onChange={(value) => onChange({ ...row, value })}
        />
      )}
      <IconButton icon="x" label={`Remove ${shown}`} onClick={onRemove} />
    </li>
  );
};

interface SecretFieldProps {
  readonly label: string;
  /** The variable that gets it: the name that a new secret begins with. */
  readonly variable: string;
  readonly value: string | null;
  readonly onChange: (secretId: string | null) => void;
  readonly onNew: () => void;
}

/** Chooses one of the company's secrets by its name, or makes one. */
const SecretField = ({ label, variable, value, onChange, onNew }: SecretFieldProps) => {
  const { id: companyId } = useCompany();
  const mayMake = useMayHere("manageSecrets");
  const { data: secrets = [] } = useRead("secrets.list", { companyId });
  return (
    <Field bare label={label} name={`secret of ${variable}`}>
      {({ id }) => (
        <div className="row">
          <div className="grow">
            <Combobox
              id={id}
              label={label}
              placeholder="Choose a secret"
              options={secrets
                .filter((secret) => secret.id === value || secret.status === "active")
                .map(({ id: secretId, name }) => ({ value: secretId, label: name }))}
              value={value}
              problem={value === null ? chooseSecret(variable || "the variable") : undefined}
              onChange={onChange}
            />
          </div>
          {mayMake ? (
            <Button small onClick={onNew}>
              New<span className="only-read"> secret for {variable || "the variable"}</span>
            </Button>
          ) : null}
        </div>
      )}
    </Field>
  );
};
