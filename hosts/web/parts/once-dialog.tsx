import { Fragment, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
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
  const [copied, setCopied] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [isUncopied, setUncopied] = useState(false);
  const copy = async (value: string) => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(value);
    } catch {
      // Browsers have a clipboard on HTTPS and on the machine itself alone, and may refuse it there, too.
      setUncopied(true);
    }
  };
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
      {isUncopied ? (
        <Problem error="The browser does not let the page copy. Select the text and copy it." />
      ) : null}
      {isAsked && copied === null ? (
        <Problem error="It is shown this once. Copy it, or say that you have it." />
      ) : null}
      <div className="form-actions">
        <Button kind="main" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
};
