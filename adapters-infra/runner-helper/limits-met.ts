import { readFileSync } from "node:fs";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";

/** Where the kernel counts what it did to a container because of its limits: cgroup v2, and v1. */
const kills = { files: ["memory.events", "memory/memory.oom_control"], key: "oom_kill" };
const refusedForks = { files: ["pids.events", "pids/pids.events"], key: "max" };

/** Says which limit of its container ended a program: one that failed after the kernel enforced it. */
export const limitsMet = (outcome: ProcessOutcome): Pick<ProcessOutcome, "overMemory" | "overProcesses"> => {
  const { exitCode, stopped, timedOut, endedAfterResult, silent, startError } = outcome;
  if (exitCode === 0 || stopped || timedOut || endedAfterResult || silent || startError !== undefined)
    return {};
  if (count(kills) > 0) return { overMemory: true };
  return count(refusedForks) > 0 ? { overProcesses: true } : {};
};

const count = ({ files, key }: typeof kills): number => {
  for (const file of files) {
    try {
      const text = readFileSync(`/sys/fs/cgroup/${file}`, "utf8");
      return Number(new RegExp(`^${key} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
    } catch {
      // The other version, or a runtime that shows none.
    }
  }
  return 0;
};
