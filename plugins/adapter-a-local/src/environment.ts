import type {
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { askForHello, testCli } from "../../kit/cli-program.ts";
import { probeCheck } from "../../kit/environment-report.ts";
import { describeEnd } from "../../kit/outcome.ts";
import { commandLine, extraEnvironment, isBedrock } from "./command-line.ts";
import { type ClaudeConfig, program, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { isSignInRefused, newStream, takeLine } from "./stream.ts";

const { prefix } = program;
const probeTimeoutSec = 45;
const effortLevels = ["low", "medium", "high", "xhigh", "max"];
/** Older versions lack options that a run uses. */
const oldestMajor = 2;

export const testEnvironment = (context: TestEnvironmentContext): Promise<EnvironmentReport> =>
  testCli(context, program, {
    readConfig,
    checks: ({ effort }) => [...credentialChecks(context.env), ...effortChecks(effort)],
    probe: async (config) => {
      const version = await checkVersion(context, config);
      const tried = version?.level === "error" ? [] : [await helloProbe(context, config)];
      return [...(version === null ? [] : [version]), ...tried];
    },
  });

const effortChecks = (effort: string | undefined): EnvironmentCheck[] =>
  effort === undefined || effortLevels.includes(effort)
    ? []
    : [
        {
          level: "warn",
          code: `${prefix}_effort_flag_unsupported`,
          message: `effort "${effort}" is not one of ${effortLevels.join(", ")}.`,
        },
      ];

const credentialChecks = (env: Readonly<Record<string, string>>): EnvironmentCheck[] => {
  if (isBedrock(env)) {
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
    unsetEnv: program.outerSessionVariables,
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
        hint: program.installHint,
      }
    : null;
};

const helloProbe = async (
  context: TestEnvironmentContext,
  config: ClaudeConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await askForHello(context, program, config, {
    args: commandLine(
      { ...config, maxTurnsPerRun: 1, policy: config.policy === "ask" ? "deny" : config.policy },
      {},
    ),
    env: extraEnvironment(config, context.env),
    timeoutSec: probeTimeoutSec,
    onStdoutLine: (line) => takeLine(stream, line) === "done" || isSignInRefused(stream),
  });
  const { result } = stream;
  const answer = result !== null && !result.isError ? result.text : null;
  const message = result?.errors.join("; ") || result?.text || "";
  return probeCheck(prefix, program.command, {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer,
    failure:
      answer === null ? classifyFailure(stream, message || describeEnd(outcome, "it"), new Date()) : null,
    signInHint,
  });
};
