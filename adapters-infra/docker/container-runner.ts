import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import { type Engine, helperGraceSec, type RunnerFacts } from "../runner-helper/engine.ts";
import { engineRunner } from "../runner-helper/engine-runner.ts";
import { labelsOf, ofInstallation, ownerLabels, runLabel, volumeNameOf } from "../runner-helper/labels.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import {
  containerOf,
  endedBecause,
  hasEnded,
  killed,
  living,
  startFiles,
  volumeFolders,
  workFolders,
} from "./container.ts";
import type { DockerEngine } from "./docker-engine.ts";
import type { DockerTemplate } from "./template.ts";

export interface ContainerRunnerOptions extends RunnerFacts {
  readonly engine: DockerEngine;
  readonly template: DockerTemplate;
}

/** A container and the volume of its name. */
interface Workload {
  readonly id: string;
  readonly name: string;
}

/** A container with its input starts at once, or never. */
const pendingSec = 60;
export const endingSec = 10;

/** Runs each program in a container of its own. */
export const containerRunner = ({
  engine,
  template,
  scope,
  helper,
  service,
  handover,
}: ContainerRunnerOptions): ProcessRunner => {
  const { installation } = service;
  let machine: string | null = null;
  const server = `The engine ${engine.server}`;
  const docker: Engine<Workload> = {
    scope,
    service,
    pendingSec,
    endingSec,
    terms: {
      kind: "container",
      engine: server,
      ends: "the engine stopped",
      away: `${server} has not answered since its program's time limit.`,
    },
    removedBecause: () => "Its container was removed by somebody else while it ran.",
    endConfirmedBy: () => "its engine",
    make: (order) =>
      named("The engine refuses it", async () => {
        machine ??= await engine.info().then(
          ({ Name }) => Name,
          () => null,
        );
        return makeContainer({ engine, template, installation }, order);
      }),
    identityOf: ({ id, name }) => ({ kind: "container", name, uid: id }),
    start: ({ id }, order) =>
      named("The engine does not start its container", async () => {
        await fill({ engine, template, helper }, id, order);
        await engine.start(id);
      }),
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
    input: ({ id }) => engine.input(id),
    askToEnd: async ({ id }, graceSec, askedForMs) => {
      // A paused container hears nothing, and process 1 nothing before it has started.
      await engine.unpause(id);
      await engine.signal(id, askedForMs > (graceSec + helperGraceSec) * 1000 ? "SIGKILL" : "SIGTERM");
    },
    lives: async ({ id }) => (await engine.container(id))?.State.Running === true,
    remove: async ({ id, name }) => (await engine.removeContainer(id)) && (await engine.removeVolume(name)),
    find: (run) =>
      findContainers(
        engine,
        ofInstallation(installation, run === undefined ? runLabel : `${runLabel}=${run}`),
      ),
  };
  return engineRunner(docker, handover);
};

type Order = Parameters<Engine<Workload>["make"]>[0];

/** With its volumes, which stay where they exist. */
const makeContainer = async (
  {
    engine,
    template,
    installation,
  }: Pick<ContainerRunnerOptions, "engine" | "template"> & { readonly installation: InstallationId },
  { name, runId, workspace }: Order,
) => {
  const labels = labelsOf(installation, runId, workspace);
  const { agentId, companyId, volumes = [] } = workspace;
  const agentVolume = agentId === null ? null : volumeNameOf(installation, agentId);
  if (agentVolume !== null)
    await engine.ensureVolume(agentVolume, ownerLabels(installation, { companyId, agentId }));
  for (const volume of volumes) await engine.ensureVolume(volume.name, volume.labels);
  await engine.ensureVolume(name, labels);
  const container = containerOf(template, { labels, startVolume: name, agentVolume, volumes });
  const { status, body, message } = await engine.createContainer(name, container);
  if (status < 300) return { workload: { id: String(body.Id), name } };
  // The answer to an earlier attempt may have been lost; nobody else knows the name.
  const found = status === 409 ? await engine.container(name) : null;
  return found === null ? { startError: refusalOf(template, message) } : { workload: { id: found.Id, name } };
};

/** Puts what the program finds at its start into the container. */
const fill = async (
  { engine, template: { runAsUser }, helper }: Pick<ContainerRunnerOptions, "engine" | "template" | "helper">,
  id: string,
  { specification, env, spec, workspace }: Order,
) => {
  const { cwd, agentFolder, agentId, volumes = [] } = workspace;
  if (agentId !== null)
    await engine.put(id, workFolders([spec.cwd ?? cwd, agentFolder, env.HOME], runAsUser));
  for (const volume of volumes) await engine.put(id, volumeFolders(volume, runAsUser));
  await engine.put(id, startFiles(helper, specification, runAsUser));
};

/** The containers with those labels, and the volumes of such that are gone. */
const findContainers = async (engine: DockerEngine, labels: readonly string[]) => {
  const containers = (await engine.containers(labels)).map(({ Id, Names: [name = ""], ...found }) => ({
    workload: { id: Id, name: name.replace(/^\//, "") },
    ended: !living.includes(found.State),
    ...ofRun(found.Labels, found.Created * 1000),
  }));
  const names = containers.map(({ workload }) => workload.name);
  const volumes = (await engine.volumes(labels)).filter(({ Name }) => !names.includes(Name));
  return [
    ...containers,
    ...volumes.map(({ Name, Labels, CreatedAt = "" }) => ({
      workload: { id: Name, name: Name },
      ended: true,
      ...ofRun(Labels, Date.parse(CreatedAt)),
    })),
  ];
};

const ofRun = (labels: Readonly<Record<string, string>> | null | undefined, madeAt: number) => ({
  runId: labels?.[runLabel] ?? "",
  ageMs: Date.now() - madeAt,
});

/** Refusals begin with that sentence. */
const named = async <A>(sentence: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RefusedByEngine)) throw error;
    throw new RefusedByEngine(`${sentence}: ${error.message}`, error.passing);
  }
};

const refusalOf = ({ image }: DockerTemplate, message: string): string =>
  /no such image|image not known/i.test(message)
    ? `Its image ${image} is not on the engine: pull or build it there (${message}).`
    : `The engine refuses its container: ${message}`;
