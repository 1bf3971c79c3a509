import { readFileSync, writeFileSync } from "node:fs";

/** Of all it holds, buffers outside of its heap too. 0 where the system does not tell. */
export const residentMb = (pid: number | undefined): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return (Number(pages) * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
};

/** Where the machine runs out of memory, this is what goes. */
export const giveUpFirst = (pid: number | undefined): void => {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // Not on this system, or gone already.
  }
};
