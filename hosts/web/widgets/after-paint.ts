import { useEffect, useState } from "react";

/** Calls `work` once the next frame is painted; what it answers calls that off. */
export const afterPaint = (work: () => void): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
};

/** Whether the component, which asked for it as it was made, has not been painted yet. Without `isAsked` it isn't rendered again. */
export const useIsFirstFrame = (isAsked = true): boolean => {
  const [isFirst, setFirst] = useState(isAsked);
  useEffect(() => (isFirst ? afterPaint(() => setFirst(false)) : undefined), [isFirst]);
  return isFirst;
};

/** How many items of a virtual list are drawn beyond those that are seen: none in its first frame, which comes sooner that way. */
export const useOverscan = (later: number): number => (useIsFirstFrame() ? 0 : later);
