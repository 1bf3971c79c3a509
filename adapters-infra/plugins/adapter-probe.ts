import * as Effect from "effect/Effect";
import type { AdapterBusy } from "../../core/model/adapters/adapter.ts";
import { runnerOf } from "../../core/model/agents/agent-config.ts";
import { localRunner } from "../../core/model/agents/volume.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { AdapterProbe, ProbeAgent, TestedConfig } from "../../ports/adapter-probe.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import type {
  AdapterModel,
  AgentAdapter,
  EnvironmentCheck,
  EnvironmentReport,
  SkillsSnapshot,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";
import type { HiddenNames } from "../../ports/process-runner.ts";
import type { Runners } from "../../ports/runners.ts";
import { readDetectedModel, readSnapshot, unsupportedSkills } from "./adapter-answers.ts";
import type { LocalMachine } from "./agent-runner.ts";
import {
  type AskAdapter,
  askAdapter,
  type ProbeLocation,
  type ProbeOptions,
  plainVariables,
  temporaryWorkspace,
} from "./ask-adapter.ts";
import { companyTurns } from "./company-turns.ts";
import { oneLine, severalLines } from "./plain-text.ts";

export const adapterProbe = (runners: Runners, local: LocalMachine, options: ProbeOptions): AdapterProbe => {
  const ask = askAdapter(runners, local, options);
  const sequentially = companyTurns();
  const askSkills = (
    loaded: LoadedAdapter,
    agent: ProbeAgent,
    answer: (adapter: AgentAdapter, base: TestEnvironmentContext) => Promise<SkillsSnapshot | undefined>,
  ): Effect.Effect<SkillsSnapshot, AdapterBusy> =>
    !loaded.supports.has("listSkills")
      ? Effect.succeed(unsupportedSkills(loaded.type, agent.adapterConfig))
      : sequentially(
          agent.companyId,
          ask(loaded, agent.companyId, agent.adapterConfig, answer, locationOf(runners, agent)).pipe(
            Effect.map((snapshot) => readSnapshot(loaded.type, agent.adapterConfig, snapshot)),
            Effect.catch((error) => Effect.succeed(unanswered(loaded.type, agent, sentenceOf(error)))),
          ),
        );
  return {
    models: (loaded, companyId, program, refresh) => {
      const { models, supports } = loaded;
      if (!supports.has("listModels")) return Effect.succeed(models);
      return sequentially(
        companyId,
        ask(loaded, companyId, configFor(program), async (adapter, context) =>
          adapter.listModels?.({ ...context, refresh }),
        ).pipe(
          Effect.map((found) => readModels(found)),
          Effect.catch(() => Effect.succeed([])),
          Effect.map((found) => (found.length > 0 ? found : models)),
        ),
      );
    },
    detectModel: (loaded, companyId, program, agent) =>
      !loaded.supports.has("detectModel")
        ? Effect.succeed(null)
        : sequentially(
            companyId,
            ask(
              loaded,
              companyId,
              configFor(program),
              async (adapter, context) => adapter.detectModel?.(context),
              agent === null ? temporaryWorkspace(companyId) : locationOf(runners, agent),
            ).pipe(
              Effect.map(readDetectedModel),
              Effect.catch(() => Effect.succeed(null)),
            ),
          ),
    skills: (loaded, agent, offeredSkills) =>
      askSkills(loaded, agent, async (adapter, base) => adapter.listSkills?.({ ...base, offeredSkills })),
    syncSkills: (loaded, agent, offeredSkills, desired) =>
      askSkills(loaded, agent, async (adapter, base) => {
        const context = { ...base, offeredSkills };
        return adapter.syncSkills === undefined
          ? adapter.listSkills?.(context)
          : adapter.syncSkills(context, desired);
      }).pipe(Effect.catch(({ message }) => Effect.succeed(unanswered(loaded.type, agent, message)))),
    test: (loaded, companyId, tested) => {
      const { agent, runner = null } = tested;
      const location =
        agent === null ? temporaryWorkspace(companyId, runner) : locationOf(runners, agent, runner);
      const isHere = (location.runner ?? runners.default) === localRunner;
      const unseenSignIn = isHere ? options.unseenSignIns?.get(loaded.type) : undefined;
      return sequentially(
        companyId,
        testEnvironment(ask, loaded, companyId, tested, { ...location, unseenSignIn }),
      );
    },
  };
};

/** The runner of an agent, unless another is named, and its workspace and home there. */
const locationOf = (runners: Runners, agent: ProbeAgent, named: string | null = null): ProbeLocation => ({
  runner: named ?? runnerOf(agent, runners.default),
  workspaceOf: (workspaces) => workspaces.prepare(agent, null),
});

const testEnvironment = (
  ask: AskAdapter,
  loaded: LoadedAdapter,
  companyId: CompanyId,
  { adapterConfig, grantedPaths }: TestedConfig,
  { unseenSignIn, ...location }: ProbeLocation & { readonly unseenSignIn: string | undefined },
): Effect.Effect<EnvironmentReport> => {
  const notes: EnvironmentCheck[] = plainVariables(adapterConfig).leftOut.map((name) => ({
    level: "info",
    code: "secret_not_tested",
    message: `${name} is bound to a secret, which is read only for runs: it was left out of this test.`,
  }));
  if (unseenSignIn !== undefined)
    notes.push({ level: "info", code: "sign_in_not_seen", message: unseenSignIn });
  const granted: ProbeLocation = {
    ...location,
    workspaceOf: (workspaces) =>
      Effect.map(location.workspaceOf(workspaces), (workspace) => ({ ...workspace, granted: grantedPaths })),
  };
  return ask(
    loaded,
    companyId,
    adapterConfig,
    async (adapter, context, whatIsHidden) => {
      notes.push(...hiddenNotes(whatIsHidden(programOf(adapterConfig))));
      return adapter.testEnvironment(context);
    },
    granted,
  ).pipe(
    Effect.map((report) => readReport(loaded.type, report, notes)),
    Effect.catch((error) => {
      const message = `The adapter could not test its environment: ${sentenceOf(error)}`;
      const checks = [{ level: "error", code: "test_environment_failed", message }];
      return Effect.succeed(readReport(loaded.type, { checks }, notes));
    }),
  );
};

/** The names that a configuration gives to its program, whatever its adapter. */
const programOf = (config: Readonly<Record<string, unknown>>) => ({
  command: typeof config.command === "string" ? config.command.trim() : "",
  args: [config.args, config.extraArgs]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((arg): arg is string => typeof arg === "string"),
});

const hiddenNotes = ({ command, args }: HiddenNames): readonly EnvironmentCheck[] => [
  ...(command === null ? [] : [{ level: "error", code: "command_hidden", message: command } as const]),
  ...args.map((message) => ({ level: "warn", code: "argument_hidden", message }) as const),
];

/** The one key by which adapters of several programs tell them apart. */
const configFor = (program: string | null) => (program === null ? {} : { agent: program });

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unanswered = (type: string, { adapterConfig }: ProbeAgent, why: string): SkillsSnapshot =>
  readSnapshot(type, adapterConfig, { warnings: [`The adapter could not say: ${why}`] });

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
    const { level, passed, code, message, hint } = (check ?? {}) as Record<string, unknown>;
    const known = levels.find((candidate) => candidate === level);
    if (known === undefined || typeof code !== "string" || typeof message !== "string") continue;
    checks.push({
      level: known,
      ...(known === "info" && passed === true ? { passed } : {}),
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
