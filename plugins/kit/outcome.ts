import type { ExecuteResult, ProcessOutcome } from "../../ports/agent-adapter.ts";
import { ConfigRefusal } from "./config.ts";

/** Failures that are the same for every program. null when it ran to its end; its exit code is the adapter's to judge. */
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
    return { exitCode, signal, timedOut, errorMessage: "The run was told to stop.", errorCode: "cancelled" };
  }
  return null;
};

/** "exit code 3", with what the program last said on standard error. */
export const describeEnd = (outcome: ProcessOutcome): string => {
  const end = outcome.signal === null ? `exit code ${outcome.exitCode}` : `signal ${outcome.signal}`;
  const said = lastLine(outcome.stderrTail);
  return said === "" ? end : `${end}: ${said}`;
};

export const lastLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .at(-1)
    ?.slice(0, 1000) ?? "";

/** What a run ends with whose configuration cannot be used; anything else that was thrown is thrown on. */
export const configurationRefused = (error: unknown): ExecuteResult => {
  if (!(error instanceof ConfigRefusal)) throw error;
  return {
    exitCode: null,
    timedOut: false,
    errorMessage: error.message,
    errorCode: "configuration_incomplete",
  };
};
