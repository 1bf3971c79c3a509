import { useState } from "react";
import { CheckField, TextArea } from "../../parts/field.tsx";

/** A value while it is typed: many lines are possible, it is shown only where that is asked for, and no draft keeps it. */
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
        hint="Kept encrypted. Nobody can read it here again."
        className={isShown ? "input mono" : "input mono secrets-value"}
        autoComplete="off"
        spellCheck={false}
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <CheckField
        label="Show what I type"
        name="shown"
        checked={isShown}
        onChange={(event) => setShown(event.target.checked)}
      />
    </>
  );
};
