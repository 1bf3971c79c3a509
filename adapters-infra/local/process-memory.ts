import { readFileSync, writeFileSync } from "node:fs";

const pageBytes = 4096;

/** Returns the resident memory of a process and its descendants in bytes; 0 where the system does not tell. */
export const residentBytes = (pid: number): number =>
  descendants(pid).reduce((sum, each) => sum + residentOf(each), 0);

/**
 * Whether a process and its descendants hold more memory than that. Pages that they share count once: a look that takes
 * longer, so it comes only where the resident memory is too much.
 */
export const holdMoreThan = (pid: number, bytes: number): boolean =>
  residentBytes(pid) > bytes && descendants(pid).reduce((sum, each) => sum + shareOf(each), 0) > bytes;

/** Its part of the pages that it shares with other processes; all of them where the system does not tell. */
const shareOf = (pid: number): number => {
  try {
    const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return kilobytes === undefined ? residentOf(pid) : Number(kilobytes) * 1024;
  } catch {
    return residentOf(pid);
  }
};

const residentOf = (pid: number): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
};

/** Returns the process and its descendants. */
export const descendants = (pid: number): readonly number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return [
      pid,
      ...(children === "" ? [] : children.split(" ").flatMap((child) => descendants(Number(child)))),
    ];
  } catch {
    return [pid];
  }
};

/** Makes the kernel end this process and its descendants first when memory runs out. */
export const giveUpFirst = (pid: number): void => {
  for (const each of descendants(pid)) {
    try {
      writeFileSync(`/proc/${each}/oom_score_adj`, "1000");
    } catch {
      // The system has no such file, or the process has ended.
    }
  }
};
