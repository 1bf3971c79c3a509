import type { ReactNode } from "react";

interface OpeningRowProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/** A row of a list that opens what is below it. */
export const OpeningRow = ({ isOpen, onToggle, children }: OpeningRowProps) => (
  <button type="button" className="opening-row" aria-expanded={isOpen} onClick={onToggle}>
    {children}
  </button>
);
