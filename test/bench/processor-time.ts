import { readFileSync } from "node:fs";
import { treeOf } from "../support/processes.ts";

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const tickMs = 10;

/** Processor time of a process, of all that it started, and of what they have waited for, in milliseconds. */
export const processorMs = (pid: number): number =>
  treeOf(pid).reduce((sum, member) => sum + ticksOf(member), 0) * tickMs;

const ticksOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Behind the name, which may hold anything: utime, stime, cutime and cstime are the fields 14 to 17.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0; // It has ended meanwhile; its time is its parent's now.
  }
};
