import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * Lets all other programs have the processor before this process. On Linux a priority is a thread's, and a new thread has
 * that of the one that made it.
 */
export const takeLowestPriority = (): void => {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [0];
  for (const thread of threads)
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended.
    }
};
