import { type ReactNode, useId, useState } from "react";
import { call, useRead } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Field, Problem } from "../../widgets/field.tsx";

interface ModelFieldProps {
  readonly companyId: string;
  readonly adapterType: string;
  /** The agent program, where the adapter runs several. */
  readonly program: string | undefined;
  readonly label: string;
  readonly hint: ReactNode;
  readonly required: boolean;
  readonly value: string;
  readonly onChange: (model: string) => void;
}

/** The model of an agent: any name, those that its adapter offers, or the one that its program would take by itself. */
export const ModelField = ({
  companyId,
  adapterType,
  program,
  label,
  hint,
  required,
  value,
  onChange,
}: ModelFieldProps) => {
  const listId = useId();
  const { data: models = [] } = useRead("adapters.models", { companyId, adapterType, program });
  const [found, setFound] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const detect = async () => {
    setBusy(true);
    setError(null);
    try {
      const detected = await call("adapters.detectModel", { companyId, adapterType, program });
      if (detected !== null) onChange(detected.model);
      setFound(
        detected === null
          ? "No model configured on this machine. The program's default is used."
          : `Found in ${detected.source}.`,
      );
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return (
    <>
      <Field label={label} name="adapterConfig.model" hint={found ?? hint}>
        {(given) => (
          <div className="row">
            <input
              className="input grow"
              autoComplete="off"
              list={listId}
              required={required}
              value={value}
              onChange={(event) => {
                setFound(null);
                onChange(event.target.value);
              }}
              {...given}
            />
            <Button busy={busy} title="Detect the program's configured model" onClick={() => void detect()}>
              Detect
            </Button>
          </div>
        )}
      </Field>
      <datalist id={listId}>
        {models.map(({ id, label: name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      {error === null ? null : <Problem error={error} />}
    </>
  );
};
