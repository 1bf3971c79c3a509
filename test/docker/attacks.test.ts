import { afterAll, beforeAll, describe, vi } from "vitest";
import { agentFiles } from "../attacks/attempts/agent-files.ts";
import { machine } from "../attacks/attempts/machine.ts";
import { paths } from "../attacks/attempts/paths.ts";
import { carryOut } from "../attacks/carry-out.ts";
import { attackPrograms, engineAttacks } from "../attacks/engine-trials.ts";
import { engineKinds, image, isInstalled, startEngine, type TestEngine } from "./engine.ts";

// `npm run test:docker`: the attacks of agents in containers, on a service whose agents all run there.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

describe.each(engineKinds.filter(isInstalled))("attacks in containers of %s", (kind) => {
  const attacks = engineAttacks();
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await startEngine(kind, { programs: attackPrograms });
    const host = `unix://${engine.socket}`;
    await attacks.open({
      runner: { kind: "docker", host, engine: "of-the-test", image, network: "host", memory: "200m" },
      sockets: ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", engine.socket],
      start: { folder: "/boardroom/start", left: ["helper.mjs", "input"] },
      memoryFolder: "/tmp",
      // podman lets a program make one, Docker does not.
      hasUserNamespaces: kind === "podman",
    });
  });
  afterAll(async () => {
    await attacks.close();
    await engine?.close();
  });

  carryOut(agentFiles, ["docker"], attacks.agentFiles);
  carryOut(paths, ["docker"], attacks.paths);
  carryOut(machine, ["docker"], attacks.machine);
});
