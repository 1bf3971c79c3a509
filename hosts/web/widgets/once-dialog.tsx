import { Fragment, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { copyRefused, useCopy } from "./copy.ts";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./field.tsx";

interface OnceDialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The text that is shown this once; the label names it. */
  readonly values: readonly { readonly label: string; readonly value: string; readonly isSecret?: boolean }[];
  readonly onClose: () => void;
}

/** Shows what nothing keeps. Escape closes it only once it is copied: a key that slipped must not lose it. */
export const OnceDialog = ({ title, children, values, onClose }: OnceDialogProps) => {
  const { copied, isRefused, copy } = useCopy();
  const [isAsked, setAsked] = useState(false);
  return (
    <Dialog title={title} onClose={() => (copied === null ? setAsked(true) : onClose())}>
      <div>{children}</div>
      <dl className="once">
        {values.map(({ label, value, isSecret = true }) => (
          <Fragment key={label}>
            <dt className="muted">{label}</dt>
            <dd className="row">
              <code className="grow">{value}</code>
              {isSecret ? (
                <Button small icon={copied === value ? "check" : "copy"} onClick={() => void copy(value)}>
                  {copied === value ? "Copied" : "Copy"}
                </Button>
              ) : null}
            </dd>
          </Fragment>
        ))}
      </dl>
      {isRefused ? <Problem error={copyRefused} /> : null}
      {isAsked && copied === null ? (
        <Problem error="You won't be able to see it again. Copy it now, then choose Done." />
      ) : null}
      <div className="form-actions">
        <Button kind="main" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
};
