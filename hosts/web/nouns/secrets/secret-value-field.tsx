import { useState } from "react";
import { CheckField, TextArea } from "../../widgets/field.tsx";

/** A field for a value of one or many lines. It shows the value only on demand, and no draft stores it. */
export const ValueField = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <TextArea
        label="Value"
        name="value"
        hint="Encrypted. You won't be able to see it again."
        className={isShown ? "input mono" : "input mono secret-value"}
        autoComplete="off"
        spellCheck={false}
        required
        value={value}
        onChange={onChange}
      />
      <CheckField label="Show value" name="shown" checked={isShown} onChange={setShown} />
    </>
  );
};
