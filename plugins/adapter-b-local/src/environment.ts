import { access } from "node:fs/promises";
import { join } from "node:path";
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
import { describeEnd, lastLine } from "../../kit/outcome.ts";
import { commandLine, outerSessionVariables } from "./command-line.ts";
import { type CodexConfig, defaultCommand, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { newStream, takeLine } from "./stream.ts";

export const installHint =
  "Install the codex command line with `npm install -g @openai/codex` on the service's machine, or configure its absolute path as command.";

const prefix = "adapter_b";
const probeTimeoutSec = 45;
/** Others are charged as usual, without being faster. */
const fastModels = /^gpt-5\.[4-9]/;

export const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [await checkCwd(prefix, context.cwd)];
  const report = () => environmentReport(context.adapterType, checks);
  let config: CodexConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    checks.push({ level: "error", code: `${prefix}_config_invalid`, message: refusal.message });
    return report();
  }
  checks.push(await credentialCheck(context.env));
  checks.push({
    level: "info",
    code: `${prefix}_git_repo_check_skipped`,
    message: "The working directory need not be a git repository.",
  });
  if (config.fastMode && config.model !== undefined && !fastModels.test(config.model)) {
    checks.push({
      level: "warn",
      code: `${prefix}_fast_mode_unsupported_model`,
      message: `fastMode is on, which ${config.model} is not known to support.`,
    });
  }
  checks.push(await checkCommand(prefix, config.command, context.env, context.cwd, installHint));
  checks.push(
    probeSkipped(prefix, checks, config.command !== defaultCommand) ?? (await helloProbe(context, config)),
  );
  return report();
};

const credentialCheck = async (env: Readonly<Record<string, string>>): Promise<EnvironmentCheck> => {
  if (env.OPENAI_API_KEY || env.CODEX_API_KEY)
    return { level: "info", code: `${prefix}_openai_api_key_present`, message: "An API key is set." };
  const home = env.CODEX_HOME ?? join(env.HOME ?? "/", ".codex");
  const signedIn = await access(join(home, "auth.json")).then(
    () => true,
    () => false,
  );
  return signedIn
    ? {
        level: "info",
        code: `${prefix}_native_auth_present`,
        message: "Runs use the sign-in of the user that agents run as.",
      }
    : {
        level: "warn",
        code: `${prefix}_openai_api_key_missing`,
        message: "No API key is set, and nobody has signed in.",
        hint: signInHint,
      };
};

const helloProbe = async (
  context: TestEnvironmentContext,
  config: CodexConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await context.runProcess({
    command: config.command,
    args: commandLine(config, null),
    unsetEnv: outerSessionVariables,
    stdin: "Respond with the single word hello.",
    timeoutSec: probeTimeoutSec,
    graceSec: 2,
    onStdoutLine: (line) => takeLine(stream, line),
  });
  const failed = stream.failed || !stream.completed;
  const said = stream.error ?? (lastLine(outcome.stderrTail) || `it ended with ${describeEnd(outcome)}`);
  return probeCheck(prefix, "codex", {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer: failed ? null : (stream.lastMessage ?? ""),
    failure: failed ? classifyFailure(said, new Date()) : null,
    signInHint,
  });
};
