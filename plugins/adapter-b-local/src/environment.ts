import { join } from "node:path";
import type {
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { askForHello, testCli } from "../../kit/cli-program.ts";
import { probeCheck } from "../../kit/environment-report.ts";
import { describeEnd } from "../../kit/outcome.ts";
import { codexHome } from "./codex-home.ts";
import { commandLine } from "./command-line.ts";
import { type CodexConfig, program, readConfig } from "./configuration.ts";
import { classifyFailure, signInHint } from "./failures.ts";
import { newStream, takeLine } from "./stream.ts";

const { prefix } = program;
const probeTimeoutSec = 45;
/** Other models cost the usual price and are not faster. */
const fastModels = /^gpt-5\.[4-9]/;

const signInFile = (env: Readonly<Record<string, string>>) => join(codexHome(env), "auth.json");

export const testEnvironment = (context: TestEnvironmentContext): Promise<EnvironmentReport> =>
  testCli(context, program, {
    readConfig,
    wanted: { present: [signInFile(context.env)] },
    checks: ({ fastMode, model }, { present }) => [
      credentialCheck(context.env, present.has(signInFile(context.env))),
      {
        level: "info",
        code: `${prefix}_git_repo_check_skipped`,
        message: "The working directory need not be a git repository.",
      },
      ...fastModeChecks(fastMode ? model : undefined),
    ],
    probe: async (config) => [await helloProbe(context, config)],
  });

const fastModeChecks = (model: string | undefined): EnvironmentCheck[] =>
  model === undefined || fastModels.test(model)
    ? []
    : [
        {
          level: "warn",
          code: `${prefix}_fast_mode_unsupported_model`,
          message: `fastMode is on, which ${model} is not known to support.`,
        },
      ];

const credentialCheck = (env: Readonly<Record<string, string>>, signedIn: boolean): EnvironmentCheck => {
  if (env.OPENAI_API_KEY || env.CODEX_API_KEY)
    return { level: "info", code: `${prefix}_openai_api_key_present`, message: "An API key is set." };
  return signedIn
    ? {
        level: "info",
        code: `${prefix}_native_auth_present`,
        message: "Runs use the sign-in of the user that agents run as.",
      }
    : {
        level: "warn",
        code: `${prefix}_openai_api_key_missing`,
        message: "No API key is set, and the program is not signed in.",
        hint: signInHint,
      };
};

const helloProbe = async (
  context: TestEnvironmentContext,
  config: CodexConfig,
): Promise<EnvironmentCheck> => {
  const stream = newStream();
  const outcome = await askForHello(context, program, config, {
    args: commandLine(config, null, null),
    timeoutSec: probeTimeoutSec,
    onStdoutLine: (line) => takeLine(stream, line) === "done",
  });
  const failed = stream.failed || !stream.completed;
  const message = stream.error ?? describeEnd(outcome, "it");
  return probeCheck(prefix, program.command, {
    timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
    answer: failed ? null : (stream.lastMessage ?? ""),
    failure: failed ? classifyFailure(message, new Date()) : null,
    signInHint,
  });
};
