import { existsSync, readdirSync, readFileSync } from "node:fs";
import { markIn } from "../../adapters-infra/local/process-table.ts";

/** The kernel's one-letter process state; null where the process does not exist. */
export const stateOf = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  } catch {
    return null;
  }
};

export const isLiving = (pid: number): boolean => !["Z", "X", null].includes(stateOf(pid));

/** The pids that carry the run id, without zombies. */
export const carriersOf = (runIds: readonly string[]): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isLiving(pid))
    .filter((pid) => {
      try {
        return runIds.includes(markIn(readFileSync(`/proc/${pid}/environ`))?.runId ?? "");
      } catch {
        return false;
      }
    });

/** The pids that a hostile agent recorded for itself and its children. */
export const recordedPids = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
