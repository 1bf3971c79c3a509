import type { ReactNode } from "react";

interface OptionRowProps {
  readonly id: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  /** The pointer moves over it. */
  readonly onPoint?: () => void;
  readonly children: ReactNode;
}

/** An option of a text field, one of several in a listbox. The field keeps the focus. */
export const OptionRow = ({ id, isChosen, onChoose, onPoint, children }: OptionRowProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the text field's
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    className="option"
    onMouseDown={(event) => event.preventDefault()}
    onMouseMove={onPoint}
    onClick={onChoose}
  >
    {children}
  </div>
);
