import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process, buffers outside its heap included. 0 where the system does not tell. */
export const residentMb = (pid: number | undefined): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return (Number(pages) * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
};

/** Makes the kernel end this process first when memory runs out. */
export const preferAsOomVictim = (pid: number | undefined): void => {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // The system has no such file, or the process has ended.
  }
};
