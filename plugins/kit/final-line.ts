/** The state of a program's work as a line shows it: done, working (again), or neither. */
export type Progress = "done" | "working" | null;

/** A program that works on after a last word, on what a background task brought it, says so within this time. */
const quietMs = 3_000;

/**
 * Finds the last word of a program. An event that looks final is only so if no sign of work follows: the promise of each
 * line that says it is done becomes true after a quiet time, and false as soon as the program works again.
 */
export const finalLine = () => {
  let withdraw = () => {};
  return (progress: Progress): Promise<boolean> | undefined => {
    if (progress === null) return undefined;
    withdraw();
    if (progress === "working") return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), quietMs);
      timer.unref();
      withdraw = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  };
};
