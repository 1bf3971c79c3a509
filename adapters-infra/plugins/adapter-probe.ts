import * as Effect from "effect/Effect";
import { runnerOf } from "../../core/agents/agent-config.ts";
import type { AdapterProbe } from "../../ports/adapter-probe.ts";
import type { AdapterModel, EnvironmentCheck, EnvironmentReport } from "../../ports/agent-adapter.ts";
import type { Runners } from "../../ports/runners.ts";
import { readDetectedModel, readSnapshot, unsupportedSkills } from "./adapter-answers.ts";
import type { LocalMachine } from "./agent-runner.ts";
import { askAdapter, type ProbeOptions, plainVariables } from "./ask-adapter.ts";
import { oneLine, severalLines } from "./plain-text.ts";

export const adapterProbe = (runners: Runners, local: LocalMachine, options: ProbeOptions): AdapterProbe => {
  const ask = askAdapter(runners, local, options);
  return {
    models: (loaded, companyId, refresh) => {
      const { models, supports } = loaded;
      if (!supports.has("listModels")) return Effect.succeed(models);
      return ask(loaded, companyId, {}, async (adapter, context) =>
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
        : ask(loaded, companyId, {}, async (adapter, context) => adapter.detectModel?.(context)).pipe(
            Effect.map(readDetectedModel),
            Effect.catch(() => Effect.succeed(null)),
          ),
    skills: (loaded, agent, offeredSkills, sync) => {
      const { type, supports } = loaded;
      return !supports.has("listSkills")
        ? Effect.succeed(unsupportedSkills(type, agent.adapterConfig))
        : ask(
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
      return ask(
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
