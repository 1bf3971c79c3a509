import { Fragment, memo, type ReactNode, useMemo, useState } from "react";
import { Button } from "../../widgets/button.tsx";
import { locale } from "../../widgets/locale.ts";
import { visible } from "../visible-text.ts";
import {
  type ChosenLines,
  type LineChoice,
  LineNumber,
  type LineOfSide,
  type LineSide,
  useChosenLines,
} from "./patch-choice.tsx";
import { type PatchHunk, type PatchLine, readPatch, sideBySide } from "./patch-lines.ts";

interface PatchProps {
  /** The difference of one file as git prints it. */
  readonly patch: string;
  readonly label: string;
  readonly layout: "unified" | "sides";
  readonly notes?: LineNotes;
}

/** Notes below lines of a patch, and the choice of lines by a person. */
export interface LineNotes {
  readonly below: (side: LineSide, line: number) => ReactNode;
  /** null: they may not be chosen. */
  readonly onChoose: ((lines: ChosenLines) => void) | null;
}

/** Lines that are shown at first, and with each press. */
const portion = 1_000;

const marks = { same: " ", added: "+", removed: "−" } as const;
const spoken = { same: "", added: "added: ", removed: "removed: " } as const;

/** The difference of a file: one column, or both sides next to each other. */
export const Patch = memo(({ patch, label, layout, notes }: PatchProps) => {
  const [most, setMost] = useState(portion);
  const hunks = useMemo(() => readPatch(patch), [patch]);
  const choice = useChosenLines(notes?.onChoose ?? null);
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
            {layout === "unified" ? (
              <Unified lines={lines} notes={notes} choice={choice} />
            ) : (
              <Sides lines={lines} notes={notes} choice={choice} />
            )}
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
  if (patch === "") return "This file's name isn't valid text, so its changes can't be shown.";
  return /^(Binary files|GIT binary patch)/m.test(patch)
    ? "Binary or too large to compare."
    : "Renamed, mode changed or empty.";
};

const Text = ({ line }: { readonly line: PatchLine }) => (
  <span>
    <span className="only-read">{spoken[line.kind]}</span>
    {visible(line.text)}
  </span>
);

interface LinesProps {
  readonly lines: readonly PatchLine[];
  readonly notes: LineNotes | undefined;
  readonly choice: LineChoice | null;
}

const Unified = ({ lines, notes, choice }: LinesProps) =>
  lines.map((line) => (
    <Fragment key={`${line.before} ${line.after}`}>
      <div className={`patch-line ${line.kind}`}>
        <LineNumber
          choice={choice}
          location={line.kind === "removed" ? lineOf(line) : null}
          number={line.before}
        />
        <LineNumber
          choice={choice}
          location={line.kind === "removed" ? null : lineOf(line)}
          number={line.after}
        />
        <span aria-hidden="true">{marks[line.kind]}</span>
        <Text line={line} />
      </div>
      <Below line={line} notes={notes} />
    </Fragment>
  ));

const Sides = ({ lines, notes, choice }: LinesProps) =>
  sideBySide(lines).map(({ before, after }) => (
    <Fragment key={`${before?.before} ${after?.after}`}>
      <div className="patch-pair">
        <Side
          line={before}
          number={before?.before ?? null}
          isOld={before?.kind === "removed"}
          choice={choice}
        />
        <Side line={after} number={after?.after ?? null} isOld={false} choice={choice} />
      </div>
      {before === null || before === after ? null : <Below line={before} notes={notes} />}
      {after === null ? null : <Below line={after} notes={notes} />}
    </Fragment>
  ));

interface SideProps {
  readonly line: PatchLine | null;
  readonly number: number | null;
  readonly isOld: boolean;
  readonly choice: LineChoice | null;
}

/** A line that both sides have is chosen on the right. */
const Side = ({ line, number, isOld, choice }: SideProps) => {
  const isChosenHere = line !== null && (isOld || number === line.after);
  return (
    <div className={`patch-side ${line?.kind ?? "none"}`}>
      <LineNumber choice={choice} location={isChosenHere ? lineOf(line) : null} number={number} />
      {line === null ? null : <Text line={line} />}
    </div>
  );
};

const lineOf = ({ kind, before, after }: PatchLine): LineOfSide =>
  kind === "removed" ? { side: "old", line: before! } : { side: "new", line: after! };

/** The notes of a line; of one that both sides have, those of each. */
const Below = ({ line, notes }: { readonly line: PatchLine; readonly notes: LineNotes | undefined }) => {
  if (notes === undefined) return null;
  const { before, after } = line;
  return (
    <>
      {before === null ? null : notes.below("old", before)}
      {after === null ? null : notes.below("new", after)}
    </>
  );
};
