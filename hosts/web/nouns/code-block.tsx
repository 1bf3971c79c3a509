import { Fragment, type ReactNode, useEffect, useState } from "react";
import { IconButton } from "../widgets/button.tsx";
import { copyRefused, useCopy } from "../widgets/copy.ts";
import { Problem } from "../widgets/field.tsx";
import type { CodePart } from "./highlight.ts";

/** Longer code stays plain: grammars are many patterns, which are slow on hostile texts. */
const maxHighlighted = 20_000;
const maxLine = 1_000;

const isHighlightable = (text: string): boolean =>
  text.length <= maxHighlighted && text.split("\n").every(({ length }) => length <= maxLine);

interface CodeBlockProps {
  readonly text: string;
  /** As it stands after the fence. */
  readonly language: string;
}

/** Code of a text: highlighted once the grammars are there, and copied by a button. */
export const CodeBlock = ({ text, language }: CodeBlockProps) => {
  const [parts, setParts] = useState<readonly CodePart[] | null>(null);
  const { copied, isRefused, copy } = useCopy();
  useEffect(() => {
    setParts(null);
    if (language === "" || !isHighlightable(text)) return;
    let isShown = true;
    import("./highlight.ts").then(
      ({ highlight }) => isShown && setParts(highlight(text, language)),
      // Without the grammars, as after an upgrade, the code is plain.
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [text, language]);
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{parts === null ? text : shownParts(parts)}</code>
      </pre>
      <IconButton
        small
        icon={copied === text ? "check" : "copy"}
        label={copied === text ? "Copied" : "Copy code"}
        onClick={() => void copy(text)}
      />
      {isRefused ? <Problem error={copyRefused} /> : null}
    </div>
  );
};

const shownParts = (parts: readonly CodePart[]): ReactNode =>
  parts.map((part, at) => {
    const key = at;
    return typeof part === "string" ? (
      <Fragment key={key}>{part}</Fragment>
    ) : (
      <span key={key} className={part.className}>
        {shownParts(part.parts)}
      </span>
    );
  });
