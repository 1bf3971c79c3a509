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
  const [shown, setShown] = useState(value);
  // Another address replaces the words. That of the words does not: the space before the next one stays.
  if (shown !== value) {
    setShown(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
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
