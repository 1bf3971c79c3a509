import { boundTo } from "../../widgets/bound.ts";
import { TextArea, TextField } from "../../widgets/field.tsx";

/** The facts of a secret, without its value, while they are edited. */
export interface SecretFacts {
  readonly name: string;
  readonly key: string;
  readonly description: string;
}

interface SecretFactsProps {
  readonly value: SecretFacts;
  readonly onChange: (change: Partial<SecretFacts>) => void;
}

/** The names of a secret: for people and for agents. */
export const SecretNameFields = ({
  value,
  onChange,
  isNew = false,
}: SecretFactsProps & { readonly isNew?: boolean }) => {
  const bound = boundTo(value, onChange);
  return (
    <>
      <TextField label="Name" required maxLength={200} {...bound.value("name")} />
      <TextField
        label="Key"
        className="input mono"
        required={!isNew}
        hint={
          isNew
            ? "Unique in the company. Leave empty to generate it from the name."
            : "Unique in the company. You can change it; agents keep using the secret."
        }
        {...bound.value("key")}
      />
    </>
  );
};

export const SecretNotesField = ({ value, onChange }: SecretFactsProps) => (
  <TextArea
    label="Notes"
    rows={2}
    maxLength={500}
    hint="What it's for and where it came from. Never put the value here."
    {...boundTo(value, onChange).value("description")}
  />
);
