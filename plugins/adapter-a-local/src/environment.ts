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
import { commandLine, extraEnvironment, outerSessionVariables } from "./command-line.ts";
import { type ClaudeConfig, defaultCommand, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { newStream, takeLine } from "./stream.ts";

export const installHint =
  "Install the claude command line with `npm install -g @anthropic-ai/claude-code` on the service's machine, or configure its absolute path as command.";

const prefix = "adapter_a";
const probeTimeoutSec = 45;
const effortLevels = ["low", "medium", "high", "xhigh", "max"];
/** Older ones do not know all the options that a run uses. */
const oldestMajor = 2;

export const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [await checkCwd(prefix, context.cwd)];
  const report = () => environmentReport(context.adapterType, checks);
  let config: ClaudeConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    checks.push({ level: "error", code: `${prefix}_config_invalid`, message: refusal.message });
    return report();
  }
  checks.push(...credentialChecks(context.env));
  if (config.effort !== undefined && !effortLevels.includes(config.effort)) {
    checks.push({
      level: "warn",
      code: `${prefix}_effort_flag_unsupported`,
      message: `effort "${config.effort}" is not one of ${effortLevels.join(", ")}.`,
    });
  }

  checks.push(await checkCommand(prefix, config.command, context.env, context.cwd, installHint));
  const skipped = probeSkipped(prefix, checks, config.command !== defaultCommand);
  if (skipped !== null) {
    checks.push(skipped);
  } else {
    const version = await checkVersion(context, config);
    if (version !== null) checks.push(version);
    if (version?.level !== "error") checks.push(await helloProbe(context, config));
  }
  return report();
};

const credentialChecks = (env: Readonly<Record<string, string>>): EnvironmentCheck[] => {
  if (env.CLAUDE_CODE_USE_BEDROCK) {
    return [{ level: "info", code: `${prefix}_bedrock_auth`, message: "Models are called through Bedrock." }];
  }
  if (env.ANTHROPIC_API_KEY) {
    return [
      {
        level: "warn",
        code: `${prefix}_anthropic_api_key_overrides_subscription`,
        message:
          "ANTHROPIC_API_KEY is set: runs are billed by use, even where the user is signed in with a subscription.",
      },
    ];
  }
  if (env.CLAUDE_CODE_OAUTH_TOKEN) {
    return [
      {
        level: "info",
        code: `${prefix}_oauth_token_configured`,
        message: "CLAUDE_CODE_OAUTH_TOKEN is set: runs use that subscription.",
      },
    ];
  }
  return [
    {
      level: "info",
      code: `${prefix}_subscription_mode_possible`,
      message: "No API key is set: runs use the sign-in of the user that agents run as.",
    },
  ];
};

const checkVersion = async (
  context: TestEnvironmentContext,
  config: ClaudeConfig,
): Promise<EnvironmentCheck | null> => {
  const lines: string[] = [];
  const outcome = await context.runProcess({
    command: config.command,
    args: ["--version"],
    unsetEnv: outerSessionVariables,
    timeoutSec: probeTimeoutSec,
    graceSec: 2,
    onStdoutLine: (line) => void lines.push(line),
  });
  const version = /\b(\d+)\.\d+\.\d+\b/.exec(lines.join("\n"));
  if (version === null) {
    return {
      level: "warn",
      code: `${prefix}_cli_version_probe_mismatch`,
      message: `\`${config.command} --version\` did not say a version (${describeEnd(outcome)}).`,
    };
  }
  return Number(version[1]) < oldestMajor
    ? {
        level: "error",
        code: `${prefix}_cli_version_incompatible`,
        message: `claude ${version[0]} is too old; version ${oldestMajor} or later is needed.`,
        hint: installHint,
      }
    : null;
};

const helloProbe = async (
  context: TestEnvironmentContext,
  config: ClaudeConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await context.runProcess({
    command: config.command,
    args: commandLine({ ...config, maxTurnsPerRun: 1, instructionsFilePath: undefined }, null),
    env: extraEnvironment(config, context.env),
    unsetEnv: outerSessionVariables,
    stdin: "Respond with the single word hello.",
    timeoutSec: probeTimeoutSec,
    graceSec: 2,
    onStdoutLine: (line) => takeLine(stream, line),
  });
  const { result } = stream;
  const answer = result !== null && !result.isError ? result.text : null;
  const said = result?.errors.join("; ") || result?.text || lastLine(outcome.stderrTail);
  return probeCheck(prefix, "claude", {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer,
    failure:
      answer === null
        ? classifyFailure(stream, said || `it ended with ${describeEnd(outcome)}`, new Date())
        : null,
    signInHint,
  });
};
