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

/** Whether a frame with the component has been painted. Without `isAsked` it stays false, and the component isn't rendered again. */
export const useIsPainted = (isAsked = true): boolean => {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => (isAsked ? afterPaint(() => setPainted(true)) : undefined), [isAsked]);
  return isPainted;
};

/** How many items of a virtual list are drawn beyond those that are seen: none in its first frame, which comes sooner that way. */
export const useOverscan = (later: number): number => (useIsPainted() ? later : 0);
