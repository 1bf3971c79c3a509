import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { labelOf, runLabel } from "../../adapters-infra/runner-helper/labels.ts";
import { type RemoteRunner, remoteRunnerContract } from "../contracts/remote-runner.ts";
import { ask, dockerOf, engineKinds, isInstalled, runnerOn, startEngine, type TestEngine } from "./engine.ts";

// `npm run test:docker`: on engines of Debian's packages podman and docker.io, as root.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const processesOf = (runId: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`SERVICE_RUN_ID=${runId}\0`);
    } catch {
      return false;
    }
  });

describe.each(engineKinds.filter(isInstalled))("containers of %s", (kind) => {
  let engine: TestEngine | undefined;
  let remote: RemoteRunner;
  beforeAll(async () => {
    const started = await startEngine(kind);
    engine = started;
    const docker = dockerOf(started.socket);
    remote = {
      runner: runnerOn(started),
      other: runnerOn(started),
      workspaces: engineWorkspaces("container"),
      seenFromOutside: async ({ name }) =>
        ["/containers/json?all=1", `/containers/${name}/json`, "/volumes", `/volumes/${name}`]
          .map((path) => ask(started.socket, "GET", path))
          .join("\n"),
      processesOf: async (runId) => processesOf(runId),
      leftOf: async (runId) => {
        const label = `${runLabel}=${labelOf(runId)}`;
        const containers = await docker.containers(label);
        const volumes = await docker.volumes(label);
        return [...containers.flatMap(({ Names }) => Names), ...volumes.map(({ Name }) => Name)];
      },
    };
  });
  afterAll(() => engine?.close());

  remoteRunnerContract(() => remote);
});
