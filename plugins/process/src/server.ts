import type {
  AgentAdapter,
  EnvironmentCheck,
  EnvironmentReport,
  ExecuteContext,
  ExecuteResult,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { checkCommand, checkCwd, environmentReport } from "../../kit/environment-report.ts";
import { inspect } from "../../kit/inspect.ts";
import { commonFailure, configurationRefused, describeEnd } from "../../kit/outcome.ts";
import { agentConfigurationDoc, configSchema, type ProcessConfig, readConfig } from "./configuration.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "process",
  models: [],
  agentConfigurationDoc,
  configSchema,
  execute,
  testEnvironment,
});

const execute = async (context: ExecuteContext): Promise<ExecuteResult> => {
  let config: ProcessConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    return configurationRefused(refusal);
  }
  const { command, args, timeoutSec, graceSec } = config;
  await context.onMeta({ command, args, cwd: context.cwd });
  const outcome = await context.runProcess({ command, args, timeoutSec, graceSec });
  const failure = commonFailure(outcome, timeoutSec);
  if (failure !== null) return failure;
  const { exitCode, signal } = outcome;
  return exitCode === 0
    ? { exitCode, signal, timedOut: false }
    : {
        exitCode,
        signal,
        timedOut: false,
        errorMessage: describeEnd(outcome),
        errorCode: "adapter_failed",
      };
};

const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [];
  const command = typeof context.config.command === "string" ? context.config.command.trim() : "";
  checks.push(
    command === ""
      ? {
          level: "error",
          code: "process_command_missing",
          message: "No command is configured.",
          hint: "Set adapterConfig.command to a program.",
        }
      : {
          level: "info",
          code: "process_command_present",
          message: `The command "${command}" is configured.`,
        },
  );
  try {
    readConfig(command === "" ? { ...context.config, command: "-" } : context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    checks.push({ level: "error", code: "process_config_invalid", message: refusal.message });
  }
  const seen = await inspect(context, command === "" ? {} : { command });
  checks.push(checkCwd("process", context.cwd, seen));
  if (command !== "" && seen.problem === null)
    checks.push(
      checkCommand("process", command, seen, "Install it, put it on PATH, or configure its absolute path."),
    );
  return environmentReport(context.adapterType, checks);
};
