import { isAbsolute } from "node:path";
import type { EnvironmentCheck, EnvironmentReport, ExecuteResult } from "../../ports/agent-adapter.ts";
import type { Seen } from "./inspect.ts";

export const environmentReport = (
  adapterType: string,
  checks: readonly EnvironmentCheck[],
  at = new Date(),
): EnvironmentReport => ({
  adapterType,
  status: checks.some(({ level }) => level === "error") ? "fail" : "pass",
  checks,
  testedAt: at.toISOString(),
});

/** Returns `<prefix>_cwd_valid`, `<prefix>_cwd_invalid`, or `<prefix>_not_started` where no program can start. */
export const checkCwd = (prefix: string, cwd: string, seen: Seen): EnvironmentCheck => {
  if (seen.problem !== null)
    return {
      level: "error",
      code: `${prefix}_not_started`,
      message: `No program can start where the agent's programs run: ${seen.problem}`,
      hint: "Try the runner itself with `boardroom runners check`.",
    };
  if (isAbsolute(cwd) && seen.cwd === "directory")
    return {
      level: "info",
      passed: true,
      code: `${prefix}_cwd_valid`,
      message: `Working directory ${cwd} exists.`,
    };
  const message = !isAbsolute(cwd)
    ? `Working directory ${cwd} is not an absolute path.`
    : seen.cwd === "missing"
      ? `Working directory ${cwd} does not exist.`
      : `${cwd} is not a directory.`;
  return {
    level: "error",
    code: `${prefix}_cwd_invalid`,
    message,
    hint: "Create it, or configure cwd with the absolute path of a directory.",
  };
};

/** Returns `<prefix>_command_resolvable` or `<prefix>_command_unresolvable`. */
export const checkCommand = (
  prefix: string,
  command: string,
  seen: Seen,
  installHint: string,
): EnvironmentCheck =>
  seen.command === null
    ? {
        level: "error",
        code: `${prefix}_command_unresolvable`,
        message: `The command "${command}" was not found or is not executable.`,
        hint: installHint,
      }
    : {
        level: "info",
        passed: true,
        code: `${prefix}_command_resolvable`,
        message: `The command is ${seen.command}.`,
      };

/** Returns why the checks so far prevent the probe; null where they do not. */
export const probeSkipped = (
  prefix: string,
  checks: readonly EnvironmentCheck[],
  customCommand: boolean,
): EnvironmentCheck | null => {
  const first = checks.find(({ level }) => level === "error");
  if (first !== undefined)
    return {
      level: "info",
      code: `${prefix}_hello_probe_skipped_unresolved_command`,
      message: "The program wasn't started.",
      hint: `Fix this first: ${first.message}`,
    };
  return customCommand
    ? {
        level: "info",
        code: `${prefix}_hello_probe_skipped_custom_command`,
        message: "The program wasn't started, because the agent has a command of its own.",
        hint: "Its first run shows whether it works.",
      }
    : null;
};

/** The program's reaction to the hello probe. */
export interface Probe {
  readonly timedOutAfterSec: number | null;
  /** null where it failed. */
  readonly answer: string | null;
  readonly failure: Pick<ExecuteResult, "errorFamily" | "errorMessage"> | null;
  readonly signInHint: string;
}

export const probeCheck = (prefix: string, program: string, probe: Probe): EnvironmentCheck => {
  const check = (
    level: EnvironmentCheck["level"],
    suffix: string,
    message: string,
    hint?: string,
  ): EnvironmentCheck => ({
    level,
    code: `${prefix}_hello_probe_${suffix}`,
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  if (probe.timedOutAfterSec !== null)
    return check("warn", "timed_out", `${program} did not answer within ${probe.timedOutAfterSec} seconds.`);
  if (probe.answer !== null)
    return /hello/i.test(probe.answer)
      ? { ...check("info", "passed", `${program} answered.`), passed: true }
      : check("warn", "failed", `${program} answered, but without the requested word.`);
  const message = probe.failure?.errorMessage ?? "it said nothing.";
  switch (probe.failure?.errorFamily) {
    case "sign_in_required":
      return check("error", "auth_required", message, probe.signInHint);
    case "provider_quota":
      return check("warn", "usage_limited", message);
    case "transient_upstream":
      return check("warn", "transient_upstream", message);
    default:
      return check("error", "failed", `${program} could not be used: ${message}`);
  }
};
