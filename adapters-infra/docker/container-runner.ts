import { clause } from "../../core/shared/sentence.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { EngineProgram } from "../runner-helper/engine-program.ts";
import { type Engine, engineRunner } from "../runner-helper/engine-runner.ts";
import { pause } from "../runner-helper/follow-log.ts";
import type { ServiceFacts } from "../runner-helper/helper-spec.ts";
import { labelsOf, ownerLabels, volumeNameOf } from "../runner-helper/labels.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { containerOf, endedBecause, hasEnded, killed, startFiles, workFolders } from "./container.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { askToEnd, endContainer, endRun, runIdsOn } from "./end-containers.ts";
import type { DockerTemplate } from "./template.ts";

export interface ContainerRunnerOptions {
  readonly engine: DockerEngine;
  readonly template: DockerTemplate;
  readonly scope: string;
  /** The bundled program of process 1. */
  readonly helper: string;
  readonly service: ServiceFacts;
}

interface Workload {
  readonly id: string;
  readonly name: string;
}

/** How long an engine that does not answer may take to make a container. */
const createSec = 60;
/** A container with its input starts at once, or never. */
const pendingSec = 60;
const awaySec = 90;

/** Runs each program in a container of its own. */
export const containerRunner = ({
  engine,
  template,
  scope,
  helper,
  service,
}: ContainerRunnerOptions): ProcessRunner => {
  let machine: string | null = null;
  const docker: Engine<Workload> = {
    scope,
    service,
    pendingSec,
    awaySec,
    removedBecause: () => "Its container was removed by somebody else while it ran.",
    words: {
      pending: `Its container did not start within ${pendingSec} seconds.`,
      endedByEngine: "Its container ended it, because the engine stopped or the service did not answer.",
      silent: `The engine ${engine.server} does not answer, so it is not known whether it has ended.`,
      away: `The engine ${engine.server} has not answered since its program's time limit.`,
    },
    make: async (program) => {
      machine ??= await engine.info().then(
        ({ Name }) => Name,
        () => null,
      );
      const made = await make(engine, template, program);
      // Of an attempt whose answer was lost, too.
      if ("startError" in made) await discard(engine, program.name);
      return made;
    },
    identityOf: ({ id, name }) => ({ kind: "container", name, uid: id }),
    start: async ({ id }, { specification, env, spec, workspace }) => {
      try {
        if (workspace.agentId !== null)
          await engine.put(id, workFolders([spec.cwd ?? workspace.cwd, env.HOME], template.runAsUser));
        await engine.put(id, startFiles(helper, specification, template.runAsUser));
        await engine.start(id);
      } catch (error) {
        if (!(error instanceof RefusedByEngine)) throw error;
        throw new RefusedByEngine(`The engine does not start its container: ${error.message}`, error.passing);
      }
    },
    inspect: async ({ id }) => {
      const found = await engine.container(id);
      if (found === null) return null;
      const { Running, ExitCode, OOMKilled = false } = found.State;
      const isEnded = hasEnded(found);
      const mayBeOverMemory = isEnded && ExitCode === killed && template.memoryBytes !== null;
      return {
        state: Running ? "running" : isEnded ? "ended" : "waiting",
        placement: { node: machine, waitsFor: null },
        overMemory: OOMKilled || (mayBeOverMemory && (await engine.wasKilledByKernel(found))),
        endedBecause: endedBecause(found),
        neverStarts: null,
      };
    },
    log: ({ id }) => engine.log(id),
    askToEnd: ({ id }, { spec }, askedForMs) => askToEnd(engine, id, spec.graceSec, askedForMs),
    end: async (workload, { spec }, ended, fencedAt) => {
      await endContainer(engine, { ...workload, graceSec: spec.graceSec, until: ended ? null : fencedAt });
    },
    endLeftovers: (runId, graceSec) => endRun(engine, runId, graceSec),
    runIds: () => runIdsOn(engine),
  };
  return engineRunner(docker);
};

const make = async (
  engine: DockerEngine,
  template: DockerTemplate,
  { name, runId, workspace, stop, onPlacement }: EngineProgram,
): Promise<{ readonly workload: Workload } | { readonly startError: string }> => {
  const labels = labelsOf(runId, workspace);
  const { agentId, companyId } = workspace;
  const agentVolume = agentId === null ? null : volumeNameOf(agentId);
  const beganAt = performance.now();
  for (;;) {
    if (stop.aborted) return { startError: "It was stopped before its container was made." };
    const isLate = performance.now() - beganAt > createSec * 1000;
    try {
      if (agentVolume !== null) await engine.ensureVolume(agentVolume, ownerLabels({ companyId, agentId }));
      await engine.ensureVolume(name, labels);
      const answer = await engine.createContainer(
        name,
        containerOf(template, { labels, startVolume: name, agentVolume }),
      );
      if (answer.status < 300) return { workload: { id: String(answer.body.Id), name } };
      // The answer to an earlier attempt may have been lost; nobody else knows the name.
      const found = answer.status === 409 ? await engine.container(name) : null;
      if (found !== null) return { workload: { id: found.Id, name } };
      return { startError: refusalOf(template, answer.message) };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof RefusedByEngine && (!error.passing || isLate))
        return { startError: `The engine refuses it: ${message}` };
      if (isLate) return { startError: `The engine ${engine.server} does not answer: ${clause(message)}.` };
      await onPlacement({ node: null, waitsFor: `The engine ${engine.server} does not answer.` });
    }
    await pause(1_000, stop);
  }
};

const refusalOf = ({ image }: DockerTemplate, message: string): string =>
  /no such image|image not known/i.test(message)
    ? `Its image ${image} is not on the engine: pull or build it there (${message}).`
    : `The engine refuses its container: ${message}`;

const discard = async (engine: DockerEngine, name: string): Promise<void> => {
  await engine.removeContainer(name).catch(() => false);
  await engine.removeVolume(name).catch(() => false);
};
