import { readdirSync, readFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { labelOf, runLabel } from "../../adapters-infra/runner-helper/labels.ts";
import type { ProcessRunner, ProgramSpec } from "../../ports/process-runner.ts";
import { type RemoteProgram, type RemoteRunner, supervise } from "../contracts/remote-runner.ts";
import { anotherInstallation } from "../support/installation.ts";
import { ask, dockerOf, runnerOn, type TestEngine } from "./engine.ts";

export const workspaces = engineWorkspaces("container");

export const processesOf = (runId: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`SERVICE_RUN_ID=${runId}\0`);
    } catch {
      return false;
    }
  });

/** Containers and volumes of the run. */
export const objectsOf = async (engine: TestEngine, runId: string): Promise<readonly string[]> => {
  const docker = dockerOf(engine.socket);
  const labels = [`${runLabel}=${labelOf(runId)}`];
  const containers = await docker.containers(labels);
  const volumes = await docker.volumes(labels);
  return [...containers.flatMap(({ Names }) => Names), ...volumes.map(({ Name }) => Name)];
};

export const remoteOf = (engine: TestEngine): RemoteRunner => ({
  runner: runnerOn(engine),
  other: runnerOn(engine),
  copy: runnerOn(engine, {}, 20, null, anotherInstallation),
  keeping: (handoverFiles) => runnerOn(engine, {}, 20, handoverFiles),
  workspaces,
  seenFromOutside: async ({ name }) =>
    ["/containers/json?all=1", `/containers/${name}/json`, "/volumes", `/volumes/${name}`]
      .map((path) => ask(engine.socket, "GET", path))
      .join("\n"),
  processesOf: async (runId) => processesOf(runId),
  objectsOf: (runId) => objectsOf(engine, runId),
});

/** Runs a program for `agentId`, or for nobody. */
export const runOn = async (
  runner: ProcessRunner,
  spec: Pick<ProgramSpec, "command" | "args"> & Partial<ProgramSpec>,
  one?: RemoteProgram,
  agentId: string | null = null,
) => {
  const program = one ?? (await supervise(workspaces));
  const { workspace } = program.supervision;
  const outcome = await Effect.runPromise(
    runner.run(
      { timeoutSec: 60, graceSec: 1, ...spec },
      { ...program.supervision, workspace: { ...workspace, agentId: agentId as never } },
    ),
  );
  return { ...program, outcome };
};
