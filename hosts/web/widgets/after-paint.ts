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

/** How many items of a virtual list are drawn beyond those that are seen: none in its first frame, which comes sooner that way. */
export const useOverscan = (later: number): number => {
  const [overscan, setOverscan] = useState(0);
  useEffect(() => afterPaint(() => setOverscan(later)), [later]);
  return overscan;
};
