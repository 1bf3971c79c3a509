import type { PersonWaits } from "../../ports/process-runner.ts";

/** Measures the time in which a run waits for people. Waits may overlap. */
export const personWaits = () => {
  let open = 0;
  let since = 0;
  let beforeMs = 0;
  let endedAt = 0;
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  const waits: PersonWaits = {
    isOpen: () => open > 0,
    totalMs: () => beforeMs + (open > 0 ? performance.now() - since : 0),
    lastAt: () => (open > 0 ? performance.now() : endedAt),
    watch: (onChange) => {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
  return {
    ...waits,
    begin: (): void => {
      open += 1;
      if (open > 1) return;
      since = performance.now();
      changed();
    },
    end: (): void => {
      open -= 1;
      if (open > 0) return;
      endedAt = performance.now();
      beforeMs += endedAt - since;
      changed();
    },
  };
};
