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
            ? "Unique in the company. Made of the name where you leave it empty."
            : "Unique in the company. Agents are bound to the secret itself: it may change."
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
    hint="What it is for and who gave it; never its value."
    {...boundTo(value, onChange).value("description")}
  />
);
