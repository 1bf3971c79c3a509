import { memoryOf, treeOf } from "../support/processes.ts";

/** Reads the memory of a process and its descendants, shared pages counted once, in MB. */
export const treeMemoryMb = (pid: number): number =>
  treeOf(pid).reduce((sum, member) => {
    try {
      return sum + memoryOf(member).pss;
    } catch {
      return sum; // The process has ended.
    }
  }, 0);
