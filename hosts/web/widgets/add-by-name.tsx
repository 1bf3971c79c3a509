import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Form, TextField } from "./field.tsx";

interface AddByNameProps {
  /** The title of the form: "Add a goal". */
  readonly label: string;
  /** The label of the text: "Title of a new goal". */
  readonly field: string;
  /** As the interface names the field. */
  readonly name?: "name" | "title";
  readonly maxLength?: number;
  readonly verb?: string;
  readonly write: { readonly busy: boolean; readonly error: unknown };
  /** Resolves once the service has it: the field is then empty again. */
  readonly onAdd: (named: string) => Promise<unknown>;
  /** Further fields after the name. */
  readonly children?: ReactNode;
}

/** One line that adds to a list. */
export const AddByName = ({
  label,
  field,
  name = "name",
  maxLength,
  verb = "Add",
  write,
  onAdd,
  children,
}: AddByNameProps) => {
  const [named, setNamed] = useState("");
  const add = async () => {
    try {
      await onAdd(named);
      setNamed("");
    } catch {
      // The form shows `write.error`.
    }
  };
  return (
    <Form label={label} error={write.error} onSubmit={() => void add()}>
      <div className="row">
        <div className="grow">
          <TextField
            label={field}
            bare
            name={name}
            required
            maxLength={maxLength}
            placeholder={field}
            value={named}
            onChange={setNamed}
          />
        </div>
        {children}
        <Button type="submit" busy={write.busy} disabled={named.trim() === ""}>
          {verb}
        </Button>
      </div>
    </Form>
  );
};
