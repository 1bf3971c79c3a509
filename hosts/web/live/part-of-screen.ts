import { createContext, use, useLayoutEffect } from "react";

/** A part of a screen, told what it waits for; what each answers ends the wait. */
export interface PartOfScreen {
  /** Something of its own: the part cannot be shown yet. */
  readonly waitsForOwn: () => () => void;
  /** The parts in it: those after it cannot be shown yet. */
  readonly waitsForInner: () => () => void;
}

export const PartOfScreenAround = createContext<PartOfScreen | null>(null);

/** The part of the screen around it is not shown while this waits for an answer for the first time. */
export const useWaitOfPart = (isWaiting: boolean): void => {
  const part = use(PartOfScreenAround);
  useLayoutEffect(() => (isWaiting ? part?.waitsForOwn() : undefined), [isWaiting, part]);
};
