import type {
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../../ports/agent-adapter.ts";
import { errorOf, failureOf } from "../../kit/acp/conclude.ts";
import type { AcpConfig } from "../../kit/acp/config.ts";
import { runAgent } from "../../kit/acp/run-agent.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import {
  checkCommand,
  checkCwd,
  environmentReport,
  probeCheck,
  probeSkipped,
} from "../../kit/environment-report.ts";
import { inspect } from "../../kit/inspect.ts";
import { describeEnd } from "../../kit/outcome.ts";
import { readConfig } from "./configuration.ts";

const prefix = "acp";
const probeTimeoutSec = 60;

export const testEnvironment = async (context: TestEnvironmentContext): Promise<EnvironmentReport> => {
  const checks: EnvironmentCheck[] = [];
  const report = () => environmentReport(context.adapterType, checks);
  let config: AcpConfig;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    checks.push(checkCwd(prefix, context.cwd, await inspect(context, {})), {
      level: "error",
      code: `${prefix}_config_invalid`,
      message: refusal.message,
    });
    return report();
  }
  const seen = await inspect(context, { command: config.command });
  checks.push(checkCwd(prefix, context.cwd, seen));
  if (seen.problem !== null) return report();
  checks.push(checkCommand(prefix, config.command, seen, config.preset.installHint));
  const skipped = probeSkipped(prefix, checks, false);
  checks.push(...(skipped === null ? await probe(context, config) : [skipped]));
  return report();
};

/** Opens a session and asks for a word. */
const probe = async (
  context: TestEnvironmentContext,
  config: AcpConfig,
): Promise<readonly EnvironmentCheck[]> => {
  const notes: string[] = [];
  const { outcome, conversation } = await runAgent(
    context.runProcess,
    {
      config,
      cwd: context.cwd,
      env: context.env,
      session: null,
      prompt: () => "Respond with the single word hello.",
      note: (line) => void notes.push(line),
      onSession: () => {},
    },
    { timeoutSec: probeTimeoutSec, graceSec: 2 },
  );
  if (outcome.startError !== undefined)
    return [{ level: "error", code: `${prefix}_not_started`, message: outcome.startError }];
  const answer = conversation?.answer ?? null;
  const isOpen = conversation?.session != null;
  const failure =
    conversation === null || answer === null
      ? errorOf(config, conversation, describeEnd(outcome, "it"), new Date())
      : failureOf(config, conversation, answer, new Date());
  return [
    ...notes.map((message): EnvironmentCheck => ({ level: "info", code: `${prefix}_note`, message })),
    ...(isOpen
      ? [
          {
            level: "info",
            passed: true,
            code: `${prefix}_session_opened`,
            message: `${config.command} opened a session.`,
          } as const,
        ]
      : []),
    probeCheck(prefix, config.command, {
      timedOutAfterSec: outcome.timedOut ? probeTimeoutSec : null,
      answer: failure === null ? (conversation?.turn.texts.join("\n") ?? "") : null,
      failure,
      signInHint: config.preset.signInHint,
    }),
  ];
};
