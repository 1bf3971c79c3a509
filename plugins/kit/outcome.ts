import { failureReason } from "../../core/model/runs/failure-reason.ts";
import type { ExecuteResult, ProcessOutcome } from "../../ports/agent-adapter.ts";
import { ConfigRefusal } from "./config.ts";
import { clause } from "./sentence.ts";

/** Failures common to all programs; null when it ran to its end and the adapter must judge its exit code. */
export const commonFailure = (outcome: ProcessOutcome, timeoutSec: number): ExecuteResult | null => {
  const { exitCode, signal, timedOut } = outcome;
  if (outcome.startError !== undefined) {
    return { exitCode, signal, timedOut, errorMessage: outcome.startError, errorCode: "adapter_failed" };
  }
  if (timedOut) {
    const errorMessage = `The program was ended after its time limit of ${timeoutSec} seconds (timeoutSec).`;
    return { exitCode, signal, timedOut, errorMessage, errorCode: "timeout" };
  }
  if (outcome.stopped) {
    return { exitCode, signal, timedOut, errorMessage: "The run was stopped.", errorCode: "cancelled" };
  }
  return null;
};

/** Returns why a program failed, such as "no tide table (exit code 3)": its own reason comes first. */
export const describeEnd = (outcome: ProcessOutcome, program = "The program"): string => {
  const end = outcome.signal === null ? `exit code ${outcome.exitCode}` : `signal ${outcome.signal}`;
  const reason = clause(failureReason(outcome.stderrTail));
  return reason === "" ? `${program} ended with ${end}` : `${reason} (${end})`;
};

/**
 * Returns the last statement of an error output in one line: an error may continue in indented lines, such as a stack or
 * fields, and Node.js adds its version.
 */
export const lastStatement = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^Node\.js v\d/.test(line));
  const start = lines.findLastIndex((line) => /^[^\s})\]]/.test(line));
  return lines.slice(Math.max(0, start)).join(" ").replaceAll(/\s+/g, " ").trim().slice(0, 1000);
};

/** Returns the result of a run whose configuration is invalid; rethrows other errors. */
export const configurationRefused = (error: unknown): ExecuteResult => {
  if (!(error instanceof ConfigRefusal)) throw error;
  return {
    exitCode: null,
    timedOut: false,
    errorMessage: error.message,
    errorCode: "configuration_incomplete",
  };
};
