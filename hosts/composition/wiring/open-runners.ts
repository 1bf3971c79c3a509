import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { parse } from "yaml";
import { z } from "zod";
import type { LocalMachine } from "../../../adapters-infra/plugins/agent-runner.ts";
import { localRunner } from "../../../core/model/agents/volume.ts";
import { leaseTimes } from "../../../core/model/runs/lease.ts";
import { clause } from "../../../core/model/shared/sentence.ts";
import type { EnvironmentCheck } from "../../../ports/agent-adapter.ts";
import type { KnownRunner, Runner, Runners } from "../../../ports/runners.ts";
import { runnerKinds } from "../../../ports/runners.ts";
import type { Separation } from "../../../ports/sandbox.ts";
import { StartFailed } from "../start-failed.ts";
import { openDocker } from "./open-docker.ts";
import { openKubernetes } from "./open-kubernetes.ts";
import type { OpenedRunner, RunnerParts } from "./opened-runner.ts";

/** Adds this machine to the operator's runners. */
export type OperatorRunners = (
  local: LocalMachine & Pick<Runner, "isDiskFull" | "paths" | "issueWorkspaces" | "volume">,
) => Runners;

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const Template = z.looseObject({ kind: z.enum(runnerKinds).exclude(["local"]) });

/** Reads the operator's templates, `runners/<name>.yaml` in the data directory. A broken one is listed with its fault. */
export const openRunners = Effect.fnUntraced(function* (separation: Separation, parts: RunnerParts) {
  const { config } = parts;
  const folder = join(config.dataDir, "runners");
  const files = yield* Effect.promise(() => readdir(folder).catch((): string[] => []));
  const names = files.flatMap((file) => /^(.*)\.ya?ml$/.exec(file)?.[1] ?? []).sort();
  const opened: { readonly known: KnownRunner; readonly runner: Runner | null }[] = [];
  for (const name of names) {
    const file = files.find((each) => each.startsWith(`${name}.y`)) ?? "";
    const text = yield* Effect.promise(() => readFile(join(folder, file), "utf8").catch(() => null));
    opened.push(yield* Effect.promise(() => openTemplate(name, text, parts)));
  }
  const usable = opened.flatMap(({ runner }) => runner ?? []);
  if (config.runner !== localRunner && !usable.some(({ name }) => name === config.runner)) {
    const problem = opened.find(({ known }) => known.name === config.runner)?.known.problem;
    return yield* new StartFailed({
      message: `SERVICE_RUNNER is ${config.runner}, and ${problem ?? `there is no template ${join(folder, `${config.runner}.yaml`)}.`}`,
    });
  }
  const operatorRunners: OperatorRunners = (local) => {
    const own: Runner = {
      name: localRunner,
      kind: "local",
      ...local,
      recoveryBoundSec: leaseTimes(config.leaseSec).recoveryBoundSec,
      check: () => Effect.succeed(separationChecks(separation)),
    };
    const all = [own, ...usable];
    return {
      default: config.runner,
      all,
      known: [knownOf(own), ...opened.map(({ known }) => known)],
      get: (name) => all.find((runner) => runner.name === name) ?? null,
    };
  };
  return operatorRunners;
});

const knownOf = ({ name, kind, processes, recoveryBoundSec }: Runner): KnownRunner => ({
  name,
  kind,
  reach: processes.scope,
  recoveryBoundSec,
  problem: null,
});

const separationChecks = ({ level, gaps }: Separation): readonly EnvironmentCheck[] =>
  level === "separated"
    ? [
        {
          level: "info",
          passed: true,
          code: "agents_separated",
          message: "Agents are sandboxed.",
        },
      ]
    : gaps.map((message) => ({
        level: level === "partly" ? "warn" : "error",
        code: `agents_${level}_separated`,
        message,
      }));

const openTemplate = async (name: string, text: string | null, parts: RunnerParts) => {
  const failed = (problem: string, kind: KnownRunner["kind"] = null) => ({
    runner: null,
    known: { name, kind, reach: null, recoveryBoundSec: null, problem },
  });
  if (!nameForm.test(name) || name === localRunner)
    return failed("Name the file in lowercase words joined by hyphens, not local.yaml.");
  if (text === null) return failed("Its file cannot be read.");
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    return failed(`The file isn't valid YAML: ${clause((error as Error).message.split("\n", 1)[0] ?? "")}.`);
  }
  const template = Template.safeParse(parsed);
  if (!template.success) return failed("Its kind must be kubernetes or docker.");
  const { kind } = template.data;
  const opened = await openKind(name, template.data, parts);
  if ("problem" in opened) return failed(opened.problem, kind);
  const { runner } = opened;
  return { runner, known: knownOf(runner) };
};

/** One case for each technology. */
const openKind = (
  name: string,
  template: z.output<typeof Template>,
  parts: RunnerParts,
): Promise<OpenedRunner> =>
  template.kind === "kubernetes" ? openKubernetes(name, template, parts) : openDocker(name, template, parts);
