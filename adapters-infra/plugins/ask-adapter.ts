import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { isServiceVariable } from "../../core/model/agents/service-variables.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { AgentAdapter, TestEnvironmentContext } from "../../ports/agent-adapter.ts";
import type { HiddenNames, ProgramSpec } from "../../ports/process-runner.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Workspace, Workspaces } from "../../ports/workspaces.ts";
import type { LocalMachine } from "./agent-runner.ts";

/** Longer than the probe of any built-in adapter takes. */
const limit = "90 seconds";
const probeGraceSec = 1;

type Named = Pick<ProgramSpec, "command" | "args">;

const nothingHidden: HiddenNames = { command: null, args: [] };

export interface ProbeOptions {
  /** The runner that a company names. */
  readonly companyRunner: (companyId: CompanyId) => Effect.Effect<string | null>;
  /** Marks the probe's programs, so that a later service finds those of a dead one. Default: a random mark. */
  readonly mark?: () => string;
  /** Sentences about sign-ins that agents on this machine do not see, by adapter. */
  readonly unseenSignIns?: ReadonlyMap<string, string>;
}

/** The runner and the workspace of a question to an adapter. */
export interface ProbeLocation {
  /** null: the runner of the company. */
  readonly runner: string | null;
  readonly workspaceOf: (workspaces: Workspaces) => Effect.Effect<Workspace, unknown, Scope.Scope>;
}

export type AskAdapter = ReturnType<typeof askAdapter>;

export const temporaryWorkspace = (companyId: CompanyId, runner: string | null = null): ProbeLocation => ({
  runner,
  workspaceOf: (workspaces) => workspaces.temporary(companyId),
});

/** Opens an adapter with a context, asks it, and ends all its processes when the work is done or too slow. */
export const askAdapter =
  (runners: Runners, local: LocalMachine, { companyRunner, mark = randomUUID }: ProbeOptions) =>
  <A>(
    { type, open }: LoadedAdapter,
    companyId: CompanyId,
    config: Readonly<Record<string, unknown>>,
    ask: (
      adapter: AgentAdapter,
      context: TestEnvironmentContext,
      whatIsHidden: (program: Named) => HiddenNames,
    ) => Promise<A>,
    { runner: named, workspaceOf }: ProbeLocation = temporaryWorkspace(companyId),
  ): Effect.Effect<A, unknown> =>
    Effect.gen(function* () {
      const name = named ?? (yield* companyRunner(companyId)) ?? runners.default;
      const runner = runners.get(name);
      if (runner === null) return yield* Effect.fail(new Error(`Runner ${name} not found.`));
      const { processes } = runner;
      const workspace = yield* workspaceOf(runner.workspaces);
      const cwd = typeof config.cwd === "string" && config.cwd !== "" ? config.cwd : workspace.cwd;
      const runId = mark();
      const env = { ...workspace.env, ...plainVariables(config).env, SERVICE_RUN_ID: runId };
      const over = new AbortController();
      const around = {
        runId,
        workspace: { ...workspace, cwd },
        stop: over.signal,
        onStarted: () => Effect.void,
      };
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
      // A program on an engine that does not answer ends at its deadline.
      yield* Effect.addFinalizer(() =>
        Effect.catchCause(processes.endOrphans(runId, null, probeGraceSec), () => Effect.void),
      );
      const { adapter } = yield* open({
        ...around,
        workspace:
          processes === local.processes ? around.workspace : yield* local.workspaces.temporary(companyId),
        graceSec: probeGraceSec,
      });
      yield* Effect.addFinalizer(() => Effect.sync(() => over.abort()));
      return yield* Effect.tryPromise({
        try: () =>
          ask(
            adapter,
            {
              companyId,
              adapterType: type,
              config: { ...config, cwd },
              env,
              cwd,
              ...(runner.kind === "local" ? {} : { remote: true as const }),
              runProcess: (spec) => {
                const own: Record<string, string> = { ...env, ...spec.env, SERVICE_RUN_ID: runId };
                for (const name of spec.unsetEnv ?? []) if (name !== "SERVICE_RUN_ID") delete own[name];
                return runPromise(
                  processes.run(spec, {
                    ...around,
                    env: own,
                    onOutput: () => Effect.void,
                  }),
                );
              },
            },
            (program) => processes.whatIsHidden?.(program, { ...around, env }) ?? nothingHidden,
          ),
        catch: (error) => error,
      });
    }).pipe(Effect.timeout(limit), Effect.scoped);

/** Splits the variables of an adapterConfig into plain values and the names of the others. */
export const plainVariables = (
  config: Readonly<Record<string, unknown>>,
): { readonly env: Readonly<Record<string, string>>; readonly leftOut: readonly string[] } => {
  const env: Record<string, string> = {};
  const leftOut: string[] = [];
  const given = typeof config.env === "object" && config.env !== null ? config.env : {};
  for (const [name, binding] of Object.entries(given)) {
    if (isServiceVariable(name)) continue;
    const value = typeof binding === "string" ? binding : (binding as { value?: unknown } | null)?.value;
    if (typeof value === "string") env[name] = value;
    else leftOut.push(name);
  }
  return { env, leftOut };
};
