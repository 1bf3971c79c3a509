/** The time of the last claim round of this process. Health reports its age. */
export interface LastRound {
  note(): void;
  /** null in a process that claims no runs. */
  ageMs(): number | null;
}

export const lastRound = (): LastRound => {
  let at: number | null = null;
  return {
    note: () => {
      at = performance.now();
    },
    ageMs: () => (at === null ? null : performance.now() - at),
  };
};
