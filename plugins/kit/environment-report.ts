import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { EnvironmentCheck, EnvironmentReport, ExecuteResult } from "../../ports/agent-adapter.ts";

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

/** Returns `<prefix>_cwd_valid` or `<prefix>_cwd_invalid`. */
export const checkCwd = async (prefix: string, cwd: string): Promise<EnvironmentCheck> => {
  const found = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null;
  if (found?.isDirectory()) {
    return { level: "info", code: `${prefix}_cwd_valid`, message: `Working directory ${cwd} exists.` };
  }
  const message = !isAbsolute(cwd)
    ? `Working directory ${cwd} is not an absolute path.`
    : found === null
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
export const checkCommand = async (
  prefix: string,
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  installHint: string,
): Promise<EnvironmentCheck> => {
  const path = await resolveCommand(command, env, cwd);
  return path === null
    ? {
        level: "error",
        code: `${prefix}_command_unresolvable`,
        message: `The command "${command}" was not found or is not executable.`,
        hint: installHint,
      }
    : { level: "info", code: `${prefix}_command_resolvable`, message: `The command is ${path}.` };
};

/** Finds the program of a command as the system does; null if it does not exist. */
export const resolveCommand = async (
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> => {
  const candidates = command.includes("/")
    ? [resolve(cwd, command)]
    : (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, join(folder, command)));
  for (const candidate of candidates) {
    const isFile = await stat(candidate).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) continue;
    const executable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executable) return candidate;
  }
  return null;
};

/** Returns why the checks so far prevent the probe; null where they do not. */
export const probeSkipped = (
  prefix: string,
  checks: readonly EnvironmentCheck[],
  customCommand: boolean,
): EnvironmentCheck | null => {
  if (checks.some(({ level }) => level === "error"))
    return {
      level: "info",
      code: `${prefix}_hello_probe_skipped_unresolved_command`,
      message: "The program was not tried, because of the errors above.",
    };
  return customCommand
    ? {
        level: "info",
        code: `${prefix}_hello_probe_skipped_custom_command`,
        message: "The program was not tried, because a command of your own is configured.",
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
      ? check("info", "passed", `${program} answered.`)
      : check("warn", "failed", `${program} answered, but without the requested word.`);
  const said = probe.failure?.errorMessage ?? "it said nothing.";
  switch (probe.failure?.errorFamily) {
    case "sign_in_required":
      return check("error", "auth_required", said, probe.signInHint);
    case "provider_quota":
      return check("warn", "usage_limited", said);
    case "transient_upstream":
      return check("warn", "transient_upstream", said);
    default:
      return check("error", "failed", `${program} could not be used: ${said}`);
  }
};
