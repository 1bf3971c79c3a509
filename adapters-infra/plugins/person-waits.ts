import type { PersonWaits } from "../../ports/process-runner.ts";

/** Measures the time in which a run waits for people. Waits may overlap. */
export const personWaits = () => {
  let open = 0;
  let since = 0;
  let beforeMs = 0;
  let endedAt = 0;
  const waits: PersonWaits = {
    isOpen: () => open > 0,
    totalMs: () => beforeMs + (open > 0 ? performance.now() - since : 0),
    lastAt: () => (open > 0 ? performance.now() : endedAt),
  };
  return {
    ...waits,
    begin: (): void => {
      if (open === 0) since = performance.now();
      open += 1;
    },
    end: (): void => {
      open -= 1;
      if (open > 0) return;
      endedAt = performance.now();
      beforeMs += endedAt - since;
    },
  };
};
