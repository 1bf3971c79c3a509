/** The time of the last claim round of this process. Health reports its age. */
export interface LastRound {
  record(): void;
  /** null in a process that claims no runs. */
  ageMs(): number | null;
}

export const lastRound = (): LastRound => {
  let at: number | null = null;
  return {
    record: () => {
      at = performance.now();
    },
    ageMs: () => (at === null ? null : performance.now() - at),
  };
};
