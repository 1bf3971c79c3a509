import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";

/** How long typing pauses before the list is read again, in milliseconds. */
const restMs = 200;

interface FindFieldProps {
  readonly label: string;
  /** As the address says it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Narrows a list to what has the words that are typed. */
export const FindField = ({ label, value, onChange }: FindFieldProps) => {
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => setTyped(value), [value]);
  return (
    <div className="find-field">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={500}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
};
