import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { runnerOf } from "../../core/agents/agent-config.ts";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { AdapterProbe } from "../../ports/adapter-probe.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import type {
  AdapterModel,
  AgentAdapter,
  EnvironmentCheck,
  EnvironmentReport,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Workspace, Workspaces } from "../../ports/workspaces.ts";
import { readDetectedModel, readSnapshot, unsupportedSkills } from "./adapter-answers.ts";
import type { LocalMachine } from "./agent-runner.ts";
import { oneLine, severalLines } from "./plain-text.ts";

/** Longer than the probe of any built-in adapter takes. */
const limit = "90 seconds";
const probeGraceSec = 1;

export interface ProbeOptions {
  /** The runner that a company names. */
  readonly companyRunner: (companyId: CompanyId) => Effect.Effect<string | null>;
  /** Marks the probe's programs, so that a later service finds those of a dead one. Default: a random mark. */
  readonly mark?: () => string;
}

export const adapterProbe = (
  runners: Runners,
  local: LocalMachine,
  { companyRunner, mark = randomUUID }: ProbeOptions,
): AdapterProbe => {
  /** Opens an adapter with a context and ends all its processes when the work is done or too slow. */
  const withAdapter = <A>(
    { type, open }: LoadedAdapter,
    companyId: CompanyId,
    config: Readonly<Record<string, unknown>>,
    ask: (adapter: AgentAdapter, context: TestEnvironmentContext) => Promise<A>,
    named: string | null = null,
    workspaceOf: (workspaces: Workspaces) => Effect.Effect<Workspace, unknown, Scope.Scope> = (workspaces) =>
      workspaces.lend(companyId),
  ): Effect.Effect<A, unknown> =>
    Effect.gen(function* () {
      const name = named ?? (yield* companyRunner(companyId)) ?? runners.usual;
      const runner = runners.get(name);
      if (runner === null) return yield* Effect.fail(new Error(`There is no runner ${name}.`));
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
      yield* Effect.addFinalizer(() => processes.endLeftovers(runId, null, probeGraceSec));
      const { adapter } = yield* open({
        ...around,
        workspace: processes === local.processes ? around.workspace : yield* local.workspaces.lend(companyId),
        graceSec: probeGraceSec,
      });
      yield* Effect.addFinalizer(() => Effect.sync(() => over.abort()));
      return yield* Effect.tryPromise({
        try: () =>
          ask(adapter, {
            companyId,
            adapterType: type,
            config: { ...config, cwd },
            env,
            cwd,
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
          }),
        catch: (error) => error,
      });
    }).pipe(Effect.timeout(limit), Effect.scoped);

  return {
    models: (loaded, companyId, refresh) => {
      const { models, supports } = loaded;
      if (!supports.has("listModels")) return Effect.succeed(models);
      return withAdapter(loaded, companyId, {}, async (adapter, context) =>
        adapter.listModels?.({ ...context, refresh }),
      ).pipe(
        Effect.map((found) => readModels(found)),
        Effect.catch(() => Effect.succeed([])),
        Effect.map((found) => (found.length > 0 ? found : models)),
      );
    },
    detectModel: (loaded, companyId) =>
      !loaded.supports.has("detectModel")
        ? Effect.succeed(null)
        : withAdapter(loaded, companyId, {}, async (adapter, context) => adapter.detectModel?.(context)).pipe(
            Effect.map(readDetectedModel),
            Effect.catch(() => Effect.succeed(null)),
          ),
    skills: (loaded, agent, offeredSkills, sync) => {
      const { type, supports } = loaded;
      return !supports.has("listSkills")
        ? Effect.succeed(unsupportedSkills(type, agent.adapterConfig))
        : withAdapter(
            loaded,
            agent.companyId,
            agent.adapterConfig,
            async (adapter, base) => {
              const context = { ...base, offeredSkills };
              return sync !== undefined && adapter.syncSkills !== undefined
                ? adapter.syncSkills(context, sync)
                : adapter.listSkills?.(context);
            },
            runnerOf(agent, runners.usual),
            (workspaces) => workspaces.prepare(agent, null),
          ).pipe(
            Effect.map((snapshot) => readSnapshot(type, agent.adapterConfig, snapshot)),
            Effect.catch((error) =>
              Effect.succeed(
                readSnapshot(type, agent.adapterConfig, {
                  warnings: [
                    `The adapter could not say: ${error instanceof Error ? error.message : String(error)}`,
                  ],
                }),
              ),
            ),
          );
    },
    test: (loaded, companyId, config, runner) => {
      const { type } = loaded;
      const { left } = plainVariables(config);
      const notes: EnvironmentCheck[] = left.map((name) => ({
        level: "info",
        code: "secret_not_tested",
        message: `${name} is bound to a secret, which is read only for runs: it was left out of this test.`,
      }));
      return withAdapter(
        loaded,
        companyId,
        config,
        (adapter, context) => adapter.testEnvironment(context),
        runner,
      ).pipe(
        Effect.map((report) => readReport(type, report, notes)),
        Effect.catch((error) =>
          Effect.succeed(
            readReport(
              type,
              {
                checks: [
                  {
                    level: "error",
                    code: "test_environment_failed",
                    message: `The adapter could not test its environment: ${error instanceof Error ? error.message : String(error)}`,
                  },
                ],
              },
              notes,
            ),
          ),
        ),
      );
    },
  };
};

/** Splits the variables of an adapterConfig into plain values and the names of the others. */
const plainVariables = (
  config: Readonly<Record<string, unknown>>,
): { readonly env: Readonly<Record<string, string>>; readonly left: readonly string[] } => {
  const env: Record<string, string> = {};
  const left: string[] = [];
  const given = typeof config.env === "object" && config.env !== null ? config.env : {};
  for (const [name, binding] of Object.entries(given)) {
    if (name.startsWith("SERVICE_")) continue;
    const value = typeof binding === "string" ? binding : (binding as { value?: unknown } | null)?.value;
    if (typeof value === "string") env[name] = value;
    else left.push(name);
  }
  return { env, left };
};

const maxModels = 5_000;

/** An external adapter may answer anything. */
const readModels = (found: unknown): readonly AdapterModel[] =>
  Array.isArray(found)
    ? found.slice(0, maxModels).flatMap((model: { id?: unknown; label?: unknown } | null) =>
        typeof model?.id === "string" && model.id !== ""
          ? [
              {
                id: oneLine(model.id, 300),
                label: oneLine(typeof model.label === "string" ? model.label : model.id, 300),
              },
            ]
          : [],
      )
    : [];

const maxChecks = 200;
const levels = ["info", "warn", "error"] as const;

const readReport = (
  adapterType: string,
  report: unknown,
  notes: readonly EnvironmentCheck[],
): EnvironmentReport => {
  const given = (report as { checks?: unknown } | null)?.checks;
  const checks: EnvironmentCheck[] = [...notes];
  for (const check of Array.isArray(given) ? given.slice(0, maxChecks) : []) {
    const { level, code, message, hint } = (check ?? {}) as Record<string, unknown>;
    const known = levels.find((candidate) => candidate === level);
    if (known === undefined || typeof code !== "string" || typeof message !== "string") continue;
    checks.push({
      level: known,
      code: oneLine(code, 100),
      message: severalLines(message, 4000),
      ...(typeof hint === "string" ? { hint: severalLines(hint, 4000) } : {}),
    });
  }
  if (!Array.isArray(given))
    checks.push({
      level: "error",
      code: "test_environment_failed",
      message: "The adapter's environment test returned no checks.",
    });
  return {
    adapterType,
    status: checks.some(({ level }) => level === "error") ? "fail" : "pass",
    checks,
    testedAt: new Date().toISOString(),
  };
};
