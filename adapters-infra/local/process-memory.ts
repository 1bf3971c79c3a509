import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { attempt } from "./attempt.ts";
import { boundedOutput, readOfProcess } from "./bounded-output.ts";
import { machineSharedBytes, sharedBytes } from "./shared-memory.ts";

const pageBytes = 4096;

/** Returns the resident memory of a process and its descendants in bytes; 0 where the system does not tell. */
export const residentBytes = (pid: number): number =>
  descendants(pid).reduce((sum, each) => sum + residentOf(each), 0);

/** Tells whether a process and its descendants hold more memory than they may. */
export interface MemoryWatch {
  isOver(): Promise<boolean>;
}

/** Files in memory are measured when those of the machine have grown by this part of the limit. */
const steps = 8;

/**
 * Counts the resident memory and, once the machine's files in memory have grown, those of the run, which no process needs
 * to map. Pages that processes share count once: a reading that takes longer, so it comes only where the sum is too much.
 * `sharedBefore`: `machineSharedBytes` from before the start.
 */
export const memoryWatch = (pid: number, maxBytes: number, sharedBefore: number): MemoryWatch => {
  const outputOf = boundedOutput();
  let lowest = sharedBefore;
  return {
    isOver: async () => {
      const onMachine = machineSharedBytes();
      lowest = Math.min(lowest, onMachine);
      const pids = descendants(pid);
      const shared = onMachine - lowest < maxBytes / steps ? 0 : await sharedBytes(pids, outputOf);
      if (pids.reduce((sum, each) => sum + residentOf(each), shared) <= maxBytes) return false;
      const parts: Awaited<ReturnType<typeof partsOf>>[] = [];
      for (const each of pids) parts.push(await partsOf(each));
      const own = parts.reduce((sum, part) => sum + part.own, 0);
      const mapped = parts.reduce((sum, part) => sum + part.shared, 0);
      // Most of what is mapped of files in memory is a part of what they hold.
      return own + Math.max(mapped, shared) > maxBytes;
    },
  };
};

/** Its part of the pages that it shares with other processes, and of mapped files in memory; all where the system does not tell. */
const partsOf = async (pid: number): Promise<{ readonly own: number; readonly shared: number }> => {
  const rollup = (await readOfProcess(`/proc/${pid}/smaps_rollup`))?.toString("latin1") ?? "";
  const bytes = (name: string) => {
    const kilobytes = new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(rollup)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  };
  const all = bytes("Pss") ?? residentOf(pid);
  const shared = bytes("Pss_Shmem") ?? 0;
  return { own: all - shared, shared };
};

const residentOf = (pid: number): number => {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
    return Number(pages) * pageBytes;
  } catch {
    return 0;
  }
};

/** Returns the process and its descendants; each thread has children of its own. */
export const descendants = (pid: number): readonly number[] => {
  const found = [pid];
  for (let at = 0; at < found.length; at++)
    for (const thread of attempt(() => readdirSync(`/proc/${found[at]}/task`)) ?? []) {
      const children = attempt(() => readFileSync(`/proc/${found[at]}/task/${thread}/children`, "utf8"));
      found.push(...(children ?? "").split(" ").filter(Boolean).map(Number));
    }
  return found;
};

/** Makes the kernel end this process and its descendants first when memory runs out. */
export const preferAsOomVictim = (pid: number): void => {
  for (const each of descendants(pid)) {
    try {
      writeFileSync(`/proc/${each}/oom_score_adj`, "1000");
    } catch {
      // The system has no such file, or the process has ended.
    }
  }
};
