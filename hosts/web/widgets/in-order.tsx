import {
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
} from "react";
import { useLocation } from "wouter";
import { type PartOfScreen, PartOfScreenAround } from "../live/part-of-screen.ts";
import { SkeletonBars } from "./skeleton.tsx";

type Waits = { -readonly [Kind in keyof PartOfScreen]: number };

/** How many parts can be shown, from the first one on, so that none of them moves when something else arrives. */
const shownOf = (waits: readonly Waits[], length: number): number => {
  for (let at = 0; at < length; at++) {
    if ((waits[at]?.waitsForOwn ?? 0) > 0) return at;
    if ((waits[at]?.waitsForInner ?? 0) > 0) return at + 1;
  }
  return length;
};

interface InOrderProps {
  readonly children?: ReactNode;
  /** Called, with the same function each time, whenever more parts are shown. */
  readonly onProgress?: (count: number, isComplete: boolean) => void;
}

interface Shown {
  readonly path: string;
  /** How many parts, from the first one on. */
  readonly count: number;
  /** Whether the last of them has all its inner parts. */
  readonly isPartComplete: boolean;
}

/**
 * Parts of a screen from top to bottom. A part is shown once the first reads in it and in all parts above it have answered: nothing
 * that comes late moves what is seen. A part that was shown stays. All parts read at once, and take their places from the start.
 */
export const InOrder = ({ children, onProgress }: InOrderProps) => {
  // Empty places count: a part keeps its own when another one goes.
  const parts: readonly ReactNode[] = Array.isArray(children) ? children : [children];
  const { length } = parts;
  const [path] = useLocation();
  const around = use(PartOfScreenAround);
  const waits = useRef<Waits[]>([]);
  const decided = useRef<Shown | null>(null);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  if (decided.current?.path !== path) decided.current = null;
  // All parts are drawn until the effects decide, before the paint: where nothing waits, none is hidden, and styles are computed once.
  const { count, isPartComplete } = decided.current ?? { count: length, isPartComplete: true };
  const current = useRef({ path, length });
  current.current = { path, length };
  const decide = useCallback(() => {
    const { path, length } = current.current;
    const before = decided.current;
    if (before !== null && before.count >= length) return;
    const count = Math.max(before?.count ?? 0, shownOf(waits.current, length));
    const isPartComplete = (waits.current[count - 1]?.waitsForInner ?? 0) === 0;
    if (count === before?.count && isPartComplete === before.isPartComplete) return;
    decided.current = { path, count, isPartComplete };
    if (before !== null || count < length) draw();
  }, []);
  // After all effects of what was just drawn: an answer may draw parts that read more.
  const decideSoon = useCallback(() => queueMicrotask(decide), [decide]);
  useLayoutEffect(decide, [path, decide]);
  useLayoutEffect(() => {
    const { count } = decided.current!;
    onProgress?.(count, count >= length);
    return count >= length ? undefined : around?.waitsForInner();
  }, [path, count, length, onProgress, around]);
  return parts.flatMap((part, at) => [
    at === count ? <Rest key="rest" isSeen={isPartComplete} /> : null,
    <Part key={at} of={waits.current} at={at} onChange={decideSoon}>
      {part}
    </Part>,
  ]);
};

/** In place of what follows it, which is there unseen. Parts in the one before that are awaited show so themselves. */
const Rest = ({ isSeen }: { readonly isSeen: boolean }) => {
  const element = useRef<HTMLDivElement>(null);
  usePassedBy(element);
  return (
    <div ref={element} className="in-order-rest">
      {isSeen ? <SkeletonBars rows={3} /> : null}
    </div>
  );
};

/**
 * Tab passes by what follows the element unseen: it is inert while the browser moves the focus, and only then. A part that was inert
 * for longer would lose what is written in it, and what a key such as `r` puts the focus on.
 */
const usePassedBy = (element: RefObject<HTMLElement | null>): void => {
  // A listener that outlived its element would find none.
  useLayoutEffect(() => {
    const hear = ({ key }: KeyboardEvent) => {
      if (key !== "Tab") return;
      const passed: Element[] = [];
      for (let next = element.current!.nextElementSibling; next !== null; next = next.nextElementSibling)
        if (!next.contains(document.activeElement) && !next.hasAttribute("inert")) passed.push(next);
      for (const each of passed) each.setAttribute("inert", "");
      setTimeout(() => {
        for (const each of passed) each.removeAttribute("inert");
      });
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, [element]);
};

interface PartProps {
  readonly of: Waits[];
  readonly at: number;
  /** Of what it waits for. */
  readonly onChange: () => void;
  readonly children: ReactNode;
}

const Part = ({ of, at, onChange, children }: PartProps) => {
  const value = useMemo((): PartOfScreen => {
    of[at] = { waitsForOwn: 0, waitsForInner: 0 };
    const wait = (kind: keyof PartOfScreen) => () => {
      of[at]![kind]++;
      onChange();
      return () => {
        of[at]![kind]--;
        onChange();
      };
    };
    return { waitsForOwn: wait("waitsForOwn"), waitsForInner: wait("waitsForInner") };
  }, [of, at, onChange]);
  return <PartOfScreenAround value={value}>{children}</PartOfScreenAround>;
};
