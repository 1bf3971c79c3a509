import type { PartialKeys, Virtualizer, VirtualizerOptions } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useReducer, useRef } from "react";
import { flushSync } from "react-dom";

type Core = typeof import("./virtualizer.ts");
type Options = PartialKeys<
  VirtualizerOptions<HTMLElement, Element>,
  "observeElementRect" | "observeElementOffset" | "scrollToFn"
>;

let core: Core | null = null;
let loading: Promise<void> | null = null;

const load = (): Promise<void> => {
  loading ??= import("./virtualizer.ts").then(
    (loaded) => {
      core = loaded;
    },
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
};

/**
 * As `useVirtualizer` of @tanstack/react-virtual, whose code is loaded once a list is so long that it needs it: the first load goes
 * without. null: it is not needed, or not there yet.
 */
export const useLateVirtualizer = (
  isNeeded: boolean,
  options: Options,
): Virtualizer<HTMLElement, Element> | null => {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const made = useRef<Virtualizer<HTMLElement, Element> | null>(null);
  const isMeasuring = useRef(false);
  if (core !== null && isNeeded) {
    const { elementScroll, observeElementOffset, observeElementRect, Virtualizer } = core;
    const all: VirtualizerOptions<HTMLElement, Element> = {
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      ...options,
      onChange: (_, isScrolling) => {
        // A row that is measured while it is drawn draws the list again afterwards.
        if (isScrolling && !isMeasuring.current) flushSync(() => draw());
        else draw();
      },
    };
    if (made.current === null) {
      const virtualizer = new Virtualizer(all);
      const { measureElement } = virtualizer;
      virtualizer.measureElement = (element) => {
        isMeasuring.current = true;
        measureElement(element);
        isMeasuring.current = false;
      };
      made.current = virtualizer;
    } else made.current.setOptions(all);
  }
  const virtualizer = made.current;
  useEffect(() => {
    if (!isNeeded || core !== null) return;
    let isShown = true;
    load().then(
      () => (isShown ? draw() : undefined),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [isNeeded]);
  useLayoutEffect(() => virtualizer?._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer?._willUpdate());
  return isNeeded ? virtualizer : null;
};
