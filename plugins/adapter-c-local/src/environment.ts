import type {
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { askForHello, testCli } from "../../kit/cli-program.ts";
import { probeCheck } from "../../kit/environment-report.ts";
import { describeEnd } from "../../kit/outcome.ts";
import { commandLine, extraEnvironment } from "./command-line.ts";
import { type OpencodeConfig, program, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { discoverModels } from "./models.ts";
import { newStream, takeLine } from "./stream.ts";

const { prefix } = program;
const probeTimeoutSec = 60;

export const testEnvironment = (context: TestEnvironmentContext): Promise<EnvironmentReport> =>
  testCli(context, program, {
    readConfig,
    refusals: { model: "model_invalid" },
    checks: (config) => configurationChecks(config, context.env),
    probe: async (config) => {
      // A test usually follows a change, so the cache does not count.
      const discovery = await discoverModels({ ...context, refresh: true });
      const isUnknown =
        discovery.models.length > 0 && !discovery.models.some(({ id }) => id === config.model);
      return [
        modelsCheck(discovery),
        isUnknown ? modelUnavailable(config.model) : await helloProbe(context, config),
      ];
    },
  });

const configurationChecks = (
  { model, dangerouslySkipPermissions }: OpencodeConfig,
  env: Readonly<Record<string, string>>,
): readonly EnvironmentCheck[] => {
  const checks: EnvironmentCheck[] = [
    { level: "info", code: `${prefix}_model_configured`, message: `The model is ${model}.` },
  ];
  if (model.startsWith("openai/") && !env.OPENAI_API_KEY)
    checks.push({
      level: "warn",
      code: `${prefix}_openai_api_key_missing`,
      message: "OPENAI_API_KEY is not set: runs need a sign-in of the user that agents run as.",
      hint: signInHint,
    });
  if (dangerouslySkipPermissions)
    checks.push({
      level: "info",
      code: `${prefix}_headless_permissions_enabled`,
      message: "Tools run without asking.",
    });
  return checks;
};

const modelsCheck = ({ models, failed }: Awaited<ReturnType<typeof discoverModels>>): EnvironmentCheck => {
  if (models.length > 0)
    return {
      level: "info",
      passed: true,
      code: `${prefix}_models_discovered`,
      message: `opencode lists ${models.length} models.`,
    };
  return failed
    ? {
        level: "warn",
        code: `${prefix}_models_discovery_failed`,
        message: "opencode did not list its models.",
      }
    : {
        level: "warn",
        code: `${prefix}_models_empty`,
        message: "opencode lists no models.",
        hint: signInHint,
      };
};

/** The program's own message for an unknown model says only that something went wrong (1.18.33). */
const modelUnavailable = (model: string): EnvironmentCheck => ({
  level: "error",
  code: `${prefix}_hello_probe_model_unavailable`,
  message: `opencode lists no model ${model}; it was not tried.`,
  hint: "Choose one that `opencode models` lists, or configure its provider for the user that agents run as.",
});

const helloProbe = async (
  context: TestEnvironmentContext,
  config: OpencodeConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await askForHello(context, program, config, {
    args: commandLine(config, null),
    env: extraEnvironment(config, context.env),
    timeoutSec: probeTimeoutSec,
    onStdoutLine: (line) => {
      takeLine(stream, line);
      return undefined;
    },
  });
  const failed = stream.error !== null || stream.steps === 0;
  const error = stream.error ?? { message: describeEnd(outcome, "it") };
  return probeCheck(prefix, program.command, {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer: failed ? null : stream.texts.join("\n"),
    failure: failed ? classifyFailure(error, new Date()) : null,
    signInHint,
  });
};
