import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "./button.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/**
 * A modal dialog while it is rendered: holds the focus, gives it back, closes by Escape and, until something is filled
 * in, by a press next to it.
 */
export const Dialog = ({ title, onClose, children, wide = false }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const isFilledIn = useRef(false);
  const heading = useId();
  // It gives the focus back only if it is closed before it goes.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // Not the button that closes: what is to be filled in, else the first button below.
    const first = ".dialog-in > :not(.dialog-head)";
    (
      dialog.querySelector<HTMLElement>(`${first} :is(input, textarea, select)`) ??
      dialog.querySelector<HTMLElement>(`${first} button`)
    )?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onInput={() => {
        isFilledIn.current = true;
      }}
      onMouseDown={(event) => {
        // A slip of the hand must not cost what was written.
        if (event.target === element.current && !isFilledIn.current) onClose();
      }}
    >
      <div className="dialog-in">
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="x" label="Close" small onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
};

interface ConfirmProps {
  /** A question: "Terminate Ada?" */
  readonly title: string;
  /** Names what will be lost. */
  readonly children: ReactNode;
  /** The verb of the button. */
  readonly verb: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before what cannot be undone; what can be is done at once, with an undo. */
export const ConfirmDialog = ({ title, children, verb, busy = false, onConfirm, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <div>{children}</div>
    <div className="form-actions">
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" busy={busy} onClick={onConfirm}>
        {verb}
      </Button>
    </div>
  </Dialog>
);
