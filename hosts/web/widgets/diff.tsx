import { diffLines } from "diff";
import { Fragment, memo } from "react";

interface DiffProps {
  readonly before: string;
  readonly after: string;
  /** Lines without a change that stand around those with one. */
  readonly around?: number;
}

interface Line {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

const linesOf = (before: string, after: string): readonly Line[] =>
  diffLines(before, after).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): Line => ({ kind: added ? "added" : removed ? "removed" : "same", text })),
  );

const marks = { same: " ", added: "+", removed: "−" } as const;
const spoken = { same: "", added: "added: ", removed: "removed: " } as const;

/** The difference of two texts, line by line; long unchanged parts are left out. */
export const Diff = memo(({ before, after, around = 3 }: DiffProps) => {
  const lines = linesOf(before, after);
  const changed = lines.flatMap(({ kind }, at) => (kind === "same" ? [] : [at]));
  if (changed.length === 0) return <p className="muted">No differences</p>;
  const isShown = (at: number) => changed.some((each) => Math.abs(each - at) <= around);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a part of a text, of which a page may have many, and no fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <div role="group" className="diff" aria-label="Changes" tabIndex={0}>
      {lines.map(({ kind, text }, at) => {
        const key = at;
        if (!isShown(at))
          return isShown(at - 1) ? (
            <div key={key} className="diff-gap">
              ⋯
            </div>
          ) : (
            <Fragment key={key} />
          );
        return (
          <div key={key} className={`diff-line ${kind}`}>
            <span aria-hidden="true">{marks[kind]}</span>
            <span>
              <span className="only-read">{spoken[kind]}</span>
              {text}
            </span>
          </div>
        );
      })}
    </div>
  );
});
Diff.displayName = "Diff";
