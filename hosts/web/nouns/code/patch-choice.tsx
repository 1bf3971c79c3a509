import { type KeyboardEvent, type MouseEvent, useState } from "react";

export type LineSide = "old" | "new";

export interface LineOfSide {
  readonly side: LineSide;
  readonly line: number;
}

export interface ChosenLines {
  readonly side: LineSide;
  readonly startLine: number;
  readonly endLine: number;
}

/** How lines are chosen: by a click or Enter on a number, and from one to another with Shift. */
export interface LineChoice {
  readonly isChosen: (location: LineOfSide) => boolean;
  /** The one number of a file that Tab reaches; the arrow keys continue from there. */
  readonly isReached: (location: LineOfSide) => boolean;
  readonly onFocus: (location: LineOfSide) => void;
  readonly onClick: (location: LineOfSide, event: MouseEvent) => void;
  readonly onKeyDown: (location: LineOfSide, event: KeyboardEvent<HTMLElement>) => void;
}

const isSame = (one: LineOfSide, other: LineOfSide | null) =>
  other !== null && one.side === other.side && one.line === other.line;

const between = (from: LineOfSide, to: LineOfSide): ChosenLines => ({
  side: to.side,
  startLine: from.side === to.side ? Math.min(from.line, to.line) : to.line,
  endLine: from.side === to.side ? Math.max(from.line, to.line) : to.line,
});

const step: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

export const useChosenLines = (onChoose: ((lines: ChosenLines) => void) | null): LineChoice | null => {
  const [reached, setReached] = useState<LineOfSide | null>(null);
  /** Where a choice of several begins. */
  const [from, setFrom] = useState<LineOfSide | null>(null);
  if (onChoose === null) return null;
  const chosen = from === null || reached === null ? null : between(from, reached);
  return {
    isChosen: ({ side, line }) =>
      chosen !== null && chosen.side === side && chosen.startLine <= line && line <= chosen.endLine,
    // Before any has the focus, each is reached: the browser stops at the first.
    isReached: (location) => reached === null || isSame(location, reached),
    onFocus: setReached,
    onClick: (location, event) => {
      // Enter on the last of several chosen lines is a click without Shift.
      const isByKey = event.detail === 0;
      const begin = from !== null && (event.shiftKey || isByKey) ? from : location;
      setFrom(event.shiftKey || isByKey ? from : location);
      setReached(location);
      onChoose(between(begin, location));
    },
    onKeyDown: (location, event) => {
      const by = step[event.key];
      if (by === undefined) return;
      event.preventDefault();
      const numbers = [
        ...(event.currentTarget
          .closest(".patch")
          ?.querySelectorAll<HTMLElement>(
            event.shiftKey ? `button[data-side="${location.side}"]` : "button[data-side]",
          ) ?? []),
      ];
      setFrom(event.shiftKey ? (from ?? location) : null);
      numbers[numbers.indexOf(event.currentTarget) + by]?.focus();
    },
  };
};

interface LineNumberProps {
  /** null: no line is chosen here. */
  readonly choice: LineChoice | null;
  /** null: the number only. */
  readonly location: LineOfSide | null;
  readonly number: number | null;
}

export const LineNumber = ({ choice, location, number }: LineNumberProps) =>
  choice === null || location === null ? (
    <span className="patch-number">{number}</span>
  ) : (
    <button
      type="button"
      className={`patch-number ${choice.isChosen(location) ? "chosen" : ""}`}
      data-side={location.side}
      aria-label={`Comment on ${location.side === "old" ? "removed line" : "line"} ${number}`}
      tabIndex={choice.isReached(location) ? 0 : -1}
      onFocus={() => choice.onFocus(location)}
      onClick={(event) => choice.onClick(location, event)}
      onKeyDown={(event) => choice.onKeyDown(location, event)}
    >
      {number}
    </button>
  );
