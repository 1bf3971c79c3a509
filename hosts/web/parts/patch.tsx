import { memo, useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { locale } from "./locale.ts";
import { type PatchHunk, type PatchLine, readPatch, sideBySide } from "./patch-lines.ts";
import { visible } from "./visible-text.ts";

interface PatchProps {
  /** The difference of one file as git prints it. */
  readonly patch: string;
  readonly label: string;
  readonly layout: "unified" | "sides";
}

/** Lines that are shown at first, and with each press. */
const portion = 1_000;

const marks = { same: " ", added: "+", removed: "−" } as const;
const spoken = { same: "", added: "added: ", removed: "removed: " } as const;

/** The difference of a file: one column, or both sides next to each other. */
export const Patch = memo(({ patch, label, layout }: PatchProps) => {
  const [most, setMost] = useState(portion);
  const hunks = useMemo(() => readPatch(patch), [patch]);
  if (hunks === null) return <pre className="patch">{visible(patch)}</pre>;
  if (hunks.length === 0) return <p className="muted">{withoutLines(patch)}</p>;
  const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <section className="patch" aria-label={label} tabIndex={0}>
        {firstLines(hunks, most).map(({ heading, lines }) => (
          <div key={heading}>
            <div className="patch-heading">{heading}</div>
            {layout === "unified" ? <Unified lines={lines} /> : <Sides lines={lines} />}
          </div>
        ))}
      </section>
      {all > most ? (
        <Button small onClick={() => setMost(most + portion)}>
          Show more of {(all - most).toLocaleString(locale)} lines
        </Button>
      ) : null}
    </>
  );
});
Patch.displayName = "Patch";

const firstLines = (hunks: readonly PatchHunk[], most: number): readonly PatchHunk[] => {
  let left = most;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return lines.length === 0 ? [] : { ...hunk, lines };
  });
};

const withoutLines = (patch: string): string => {
  if (patch === "") return "The name of this file is in no text that can be asked for.";
  return /^(Binary files|GIT binary patch)/m.test(patch)
    ? "A binary file."
    : "Only its name or its mode is different, or it is empty.";
};

const Text = ({ line }: { readonly line: PatchLine }) => (
  <span>
    <span className="only-read">{spoken[line.kind]}</span>
    {visible(line.text)}
  </span>
);

const Unified = ({ lines }: { readonly lines: readonly PatchLine[] }) =>
  lines.map((line) => (
    <div key={`${line.before} ${line.after}`} className={`patch-line ${line.kind}`}>
      <span className="patch-number">{line.before}</span>
      <span className="patch-number">{line.after}</span>
      <span aria-hidden="true">{marks[line.kind]}</span>
      <Text line={line} />
    </div>
  ));

const Sides = ({ lines }: { readonly lines: readonly PatchLine[] }) =>
  sideBySide(lines).map(({ before, after }) => (
    <div key={`${before?.before} ${after?.after}`} className="patch-pair">
      <Side line={before} number={before?.before ?? null} />
      <Side line={after} number={after?.after ?? null} />
    </div>
  ));

interface SideProps {
  readonly line: PatchLine | null;
  readonly number: number | null;
}

const Side = ({ line, number }: SideProps) => (
  <div className={`patch-side ${line?.kind ?? "none"}`}>
    <span className="patch-number">{number}</span>
    {line === null ? null : <Text line={line} />}
  </div>
);
