import type {
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import {
  checkCommand,
  checkCwd,
  environmentReport,
  probeCheck,
  probeSkipped,
} from "../../kit/environment-report.ts";
import { describeEnd } from "../../kit/outcome.ts";
import { commandLine, extraEnvironment, outerSessionVariables } from "./command-line.ts";
import { defaultCommand, type OpencodeConfig, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { listModels } from "./models.ts";
import { newStream, takeLine } from "./stream.ts";

export const installHint =
  "Install the opencode command line with `npm install -g opencode-ai` on the service's machine, or configure its absolute path as command.";

const prefix = "adapter_c";
const probeTimeoutSec = 60;

export const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [await checkCwd(prefix, context.cwd)];
  const report = () => environmentReport(context.adapterType, checks);
  let config: OpencodeConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    const suffix = refusal.key === "model" ? "model_invalid" : "config_invalid";
    checks.push({ level: "error", code: `${prefix}_${suffix}`, message: refusal.message });
    return report();
  }
  checks.push({
    level: "info",
    code: `${prefix}_model_configured`,
    message: `The model is ${config.model}.`,
  });
  if (config.model.startsWith("openai/") && !context.env.OPENAI_API_KEY)
    checks.push({
      level: "warn",
      code: `${prefix}_openai_api_key_missing`,
      message: "OPENAI_API_KEY is not set: runs need a sign-in of the user that agents run as.",
      hint: signInHint,
    });
  if (config.dangerouslySkipPermissions)
    checks.push({
      level: "info",
      code: `${prefix}_headless_permissions_enabled`,
      message: "Tools run without asking.",
    });
  checks.push(await checkCommand(prefix, config.command, context.env, context.cwd, installHint));
  const skipped = probeSkipped(prefix, checks, config.command !== defaultCommand);
  if (skipped !== null) checks.push(skipped);
  else checks.push(await modelsCheck(context), await helloProbe(context, config));
  return report();
};

const modelsCheck = async (context: TestEnvironmentContext): Promise<EnvironmentCheck> => {
  const models = await listModels(context);
  return models.length > 0
    ? {
        level: "info",
        code: `${prefix}_models_discovered`,
        message: `opencode lists ${models.length} models.`,
      }
    : {
        level: "warn",
        code: `${prefix}_models_empty`,
        message: "opencode lists no models, or did not answer.",
        hint: signInHint,
      };
};

const helloProbe = async (
  context: TestEnvironmentContext,
  config: OpencodeConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await context.runProcess({
    command: config.command,
    args: commandLine(config, null),
    env: extraEnvironment(config, context.env),
    unsetEnv: outerSessionVariables,
    stdin: "Respond with the single word hello.",
    timeoutSec: probeTimeoutSec,
    graceSec: 2,
    onStdoutLine: (line) => {
      takeLine(stream, line);
      return undefined;
    },
  });
  const failed = stream.error !== null || stream.steps === 0;
  const error = stream.error ?? { message: `it ended with ${describeEnd(outcome)}` };
  return probeCheck(prefix, "opencode", {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer: failed ? null : stream.texts.join("\n"),
    failure: failed ? classifyFailure(error, new Date()) : null,
    signInHint,
  });
};
