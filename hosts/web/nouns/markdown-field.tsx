import { lazy, Suspense, useState } from "react";
import { Button } from "../widgets/button.tsx";
import { Field } from "../widgets/field.tsx";

/** Loaded with the first preview. */
const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

interface MarkdownFieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly rows?: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A long text in Markdown, with what it looks like. */
export const MarkdownField = ({ label, name, hint, rows = 8, value, onChange }: MarkdownFieldProps) => {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} name={name} {...(hint === undefined ? {} : { hint })}>
      {(given) => (
        <>
          <textarea
            className="input markdown-source"
            hidden={isShown}
            rows={rows}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            {...given}
          />
          {isShown ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
            <div className="markdown-preview" tabIndex={0}>
              {value.trim() === "" ? (
                <p className="faint">Nothing to preview</p>
              ) : (
                <Suspense fallback={null}>
                  <Markdown text={value} />
                </Suspense>
              )}
            </div>
          ) : null}
          <div>
            <Button small aria-pressed={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? "Write" : "Preview"}
              <span className="only-read"> {label}</span>
            </Button>
          </div>
        </>
      )}
    </Field>
  );
};
