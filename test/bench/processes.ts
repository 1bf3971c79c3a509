import { readFileSync } from "node:fs";
import { memoryOf, treeOf } from "../support/processes.ts";

/** Linux counts in hundredths of a second, whatever the kernel's tick is. */
const tickMs = 10;

/** Reads the processor time of a process, its descendants and its reaped children, in milliseconds. */
export const processorMs = (pid: number): number =>
  treeOf(pid).reduce((sum, member) => sum + ticksOf(member), 0) * tickMs;

const ticksOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the name, which may contain anything: utime, stime, cutime and cstime are the fields 14 to 17.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0; // The process has ended; its parent has its time now.
  }
};

/** Reads the memory of a process and its descendants, shared pages counted once, in MB. */
export const treeMemoryMb = (pid: number): number =>
  treeOf(pid).reduce((sum, member) => {
    try {
      return sum + memoryOf(member).pss;
    } catch {
      return sum; // The process has ended.
    }
  }, 0);
