import { readFileSync } from "node:fs";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import { attempt } from "./attempt.ts";

/** How often the kernel has enforced the limits of a group. */
export interface LimitEvents {
  readonly memoryKills: number;
  readonly refusedForks: number;
}

/** Says which limit of its group ended a program: one that failed after the kernel enforced it. */
export const limitsMet = (
  outcome: ProcessOutcome,
  { memoryKills, refusedForks }: LimitEvents,
): Pick<ProcessOutcome, "overMemory" | "overProcesses"> => {
  const { exitCode, stopped, timedOut, endedAfterResult, silent, overMemory, overDisk, startError } = outcome;
  if (exitCode === 0 || stopped || timedOut || endedAfterResult || silent) return {};
  if (overMemory || overDisk) return {};
  if (startError !== undefined) return {};
  if (memoryKills > 0) return { overMemory: true };
  return refusedForks > 0 ? { overProcesses: true } : {};
};

/** As shells, libraries and runtimes say that the system starts no further process or thread. */
const refusesForks =
  /\b(?:fork|clone|vfork|pthread_create|thread|namespace|spawn)\b[^\n]*(?:Resource temporarily unavailable|EAGAIN)|Cannot fork|can't fork/i;

/** The same without a group that counts: a program that failed and says that no process could be started. */
export const reportedLimits = (outcome: ProcessOutcome): Pick<ProcessOutcome, "overProcesses"> =>
  refusesForks.test(outcome.stderrTail) ? limitsMet(outcome, { memoryKills: 0, refusedForks: 1 }) : {};

/** Reads a counter of a file such as `memory.events`; 0 where it is missing. */
export const countIn = (file: string, name: string): number =>
  countOf(attempt(() => readFileSync(file, "utf8")) ?? "", name);

export const countOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
