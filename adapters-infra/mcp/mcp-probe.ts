import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { McpTool } from "../../core/model/mcp-servers/mcp-server.ts";
import { failureReason } from "../../core/model/runs/failure-reason.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import { type McpProbe, type ProbedServer, ServerSilent } from "../../ports/mcp-probe.ts";
import type { Runners } from "../../ports/runners.ts";
import { lineWire } from "./line-wire.ts";
import { listTools, oneLine } from "./list-tools.ts";
import { urlWire } from "./url-wire.ts";

const timeoutSec = 30;
const graceSec = 1;

export interface McpProbeOptions {
  /** The runner that a company names. */
  readonly companyRunner: (companyId: CompanyId) => Effect.Effect<string | null>;
  /** Lets a company start few programs at once. */
  readonly sequentially: <A, E>(
    companyId: CompanyId,
    work: Effect.Effect<A, E>,
  ) => Effect.Effect<A, E | { message: string }>;
  /** Marks the programs, so that a later service finds those of a dead one. Default: a random mark. */
  readonly mark?: () => string;
}

type Values = Readonly<Record<string, string>>;

export const mcpProbe = (
  runners: Runners,
  { companyRunner, sequentially, mark = randomUUID }: McpProbeOptions,
): McpProbe => ({
  listTools: (companyId, server) => {
    const values: Values = Object.fromEntries(
      Object.entries(server.values).map(([name, value]) => [name, Redacted.value(value)]),
    );
    const asked =
      "url" in server
        ? askUrl(server, values)
        : askProgram({ runners, companyRunner, runId: mark() }, companyId, server, values);
    return sequentially(companyId, asked).pipe(
      Effect.mapError(({ message }) => new ServerSilent(withoutValues(message, values))),
    );
  },
});

/** A server may repeat what it was given. */
const withoutValues = (message: string, values: Values): string =>
  Object.values(values)
    .flatMap((value) => [value, ...value.split(" ")])
    .filter((part) => part.length > 3)
    .reduce((text, part) => text.replaceAll(part, "••••"), message);

const askUrl = (
  { url, allowPrivateHost }: Extract<ProbedServer, { url: string }>,
  values: Values,
): Effect.Effect<readonly McpTool[], ServerSilent> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      const late = AbortSignal.timeout(timeoutSec * 1000);
      const wire = await urlWire(
        new URL(url),
        values,
        allowPrivateHost,
        AbortSignal.any([interrupted, late]),
      );
      return listTools(wire).catch((error: Error) => {
        throw late.aborted ? new Error(`It did not answer within ${timeoutSec} seconds.`) : error;
      });
    },
    catch: (error) => new ServerSilent(messageOf(error)),
  });

interface ProgramContext extends Pick<McpProbeOptions, "companyRunner"> {
  readonly runners: Runners;
  /** In the environment of the program, by which what it leaves is found. */
  readonly runId: string;
}

const askProgram = (
  { runners, companyRunner, runId }: ProgramContext,
  companyId: CompanyId,
  { command, args }: Extract<ProbedServer, { command: string }>,
  values: Values,
): Effect.Effect<readonly McpTool[] | null, { message: string }> =>
  Effect.gen(function* () {
    const name = (yield* companyRunner(companyId)) ?? runners.default;
    const runner = runners.get(name);
    if (runner === null) return yield* Effect.fail(new ServerSilent(`Runner ${name} not found.`));
    if (runner.kind !== "local") return null;
    const workspace = yield* runner.workspaces.temporary(companyId);
    const over = new AbortController();
    yield* Effect.addFinalizer(() =>
      Effect.catchCause(runner.processes.endOrphans(runId, null, graceSec), () => Effect.void),
    );
    let wire: ReturnType<typeof lineWire> | null = null;
    let tools: readonly McpTool[] | null = null;
    let problem: string | null = null;
    const converse = async () => {
      if (wire !== null)
        await listTools(wire).then(
          (listed) => {
            tools = listed;
          },
          (error) => {
            problem = messageOf(error);
          },
        );
      over.abort();
    };
    const outcome = yield* runner.processes.run(
      {
        command,
        args,
        timeoutSec,
        graceSec,
        onInput: (input) => {
          wire = lineWire(input);
          void converse();
        },
        onStdoutLine: (line) => {
          wire?.receive(line);
          return undefined;
        },
      },
      {
        runId,
        workspace,
        env: { ...workspace.env, ...values, SERVICE_RUN_ID: runId },
        stop: over.signal,
        onStarted: () => Effect.void,
        onOutput: () => Effect.void,
      },
    );
    if (tools !== null) return tools;
    return yield* Effect.fail(new ServerSilent(whyOf(outcome, problem)));
  }).pipe(Effect.scoped);

const whyOf = (
  { startError, timedOut, exitCode, stderrTail }: ProcessOutcome,
  problem: string | null,
): string => {
  if (startError !== undefined) return startError;
  if (problem !== null) return problem;
  if (timedOut) return `The program did not list its tools within ${timeoutSec} seconds.`;
  const reason = oneLine(failureReason(stderrTail), 300);
  return `The program ended with exit code ${exitCode} before it listed its tools${reason === "" ? "." : `: ${reason}`}`;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
