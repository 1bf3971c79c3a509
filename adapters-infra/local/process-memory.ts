import { readFileSync, writeFileSync } from "node:fs";

const pageBytes = 4096;

/** Memory that a process and all below it hold, in bytes; 0 where the system does not tell. */
export const residentBytes = (pid: number): number =>
  below(pid).reduce((sum, each) => sum + residentOf(each), 0);

const residentOf = (pid: number): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
};

/** The process and its descendants. */
const below = (pid: number): readonly number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return [pid, ...(children === "" ? [] : children.split(" ").flatMap((child) => below(Number(child))))];
  } catch {
    return [pid];
  }
};

/** Where the machine runs out of memory, this process and those below it go first. */
export const giveUpFirst = (pid: number): void => {
  for (const each of below(pid)) {
    try {
      writeFileSync(`/proc/${each}/oom_score_adj`, "1000");
    } catch {
      // Not on this system, or gone already.
    }
  }
};
