import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./field.tsx";

interface FormDialogProps {
  readonly title: string;
  /** The verb of the button that sends the form. */
  readonly verb: string;
  readonly kind?: "main" | "danger";
  readonly wide?: boolean;
  /** The write that the form carries out: its refusal is shown, and the button waits for it. */
  readonly write: { readonly busy: boolean; readonly error: unknown };
  readonly disabled?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that is one form: its fields, and below them the way out and the button that sends it. */
export const FormDialog = ({
  title,
  verb,
  kind = "main",
  wide = false,
  write,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) => (
  <Dialog title={title} onClose={onClose} wide={wide}>
    <Form label={title} error={write.error} onSubmit={onSubmit}>
      {children}
      <div className="form-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind={kind} busy={write.busy} disabled={disabled}>
          {verb}
        </Button>
      </div>
    </Form>
  </Dialog>
);
