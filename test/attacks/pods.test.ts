import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect } from "vitest";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { volumeNameOf } from "../../adapters-infra/runner-helper/labels.ts";
import type { ProcessSpec } from "../../ports/agent-adapter.ts";
import { supervise } from "../contracts/remote-runner.ts";
import { installation } from "../support/installation.ts";
import { type LoopbackCluster, loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";
import { machine } from "./attempts/machine.ts";
import { paths } from "./attempts/paths.ts";
import { carryOut } from "./carry-out.ts";

// A pod may see what its object names: an API server over loopback gets it, and starts nothing.

const workspaces = engineWorkspaces("pod");
let cluster: LoopbackCluster;
const around = () => {
  beforeAll(async () => {
    cluster = await loopbackCluster();
  });
  afterAll(() => cluster?.close());
};

interface PodSpec {
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
  readonly containers: readonly { readonly securityContext: unknown }[];
}

/** Objects of a run. */
const nameOf = (runId: string) => new RegExp(`br-\\w+-${runId}-\\w+`, "g");

/** The object that the cluster is asked for, for a program of that agent. */
const podFor = async (
  agentId: string,
  spec: Partial<ProcessSpec>,
  env: Readonly<Record<string, string>> = {},
) => {
  const refused = "registry.example/agents:1 is refused";
  let object: unknown = null;
  cluster.api.onPod = (pod) => {
    object = structuredClone({ ...pod.object.spec });
    pod.place();
    pod.waits("InvalidImageName", refused);
  };
  const one = await supervise(workspaces, { variables: env });
  const workspace = { ...one.supervision.workspace, agentId: agentId as never };
  const runner = cluster.runner({
    volume: { size: "1Gi", storageClassName: null, accessMode: "ReadWriteOnce" },
  });
  const outcome = await Effect.runPromise(
    runner.run(
      { command: "true", args: [], timeoutSec: 9, graceSec: 1, ...spec },
      { ...one.supervision, workspace },
    ),
  );
  expect(outcome.startError).toContain(refused);
  expect(cluster.api.complaints).toEqual([]);
  return JSON.parse(JSON.stringify(object).replaceAll(nameOf(one.runId), "of-the-run")) as PodSpec;
};

/** Fields of a pod's specification by which it gets something of its node. */
const ofTheNode =
  /host(Path|Network|PID|IPC|Users|Port)|privileged|serviceAccount(Name)?"|projected|nodeName/;

carryOut(
  paths,
  ["pod"],
  {
    "data-directory": async () => {
      const dataDir = "/var/lib/boardroom";
      const agent = { id: randomUUID(), companyId: randomUUID() } as never;
      for (const cwd of [dataDir, "/", "/boardroom/work/../../var", "/boardroom/spec"])
        expect(
          await Effect.runPromise(Effect.flip(Effect.scoped(workspaces.prepare(agent, cwd)))),
        ).toMatchObject({
          message: expect.stringContaining("is below /boardroom/work"),
        });
      const id = randomUUID();
      const plain = await podFor(id, {});
      const naming = await podFor(
        id,
        { command: `${dataDir}/agent.sh`, args: [dataDir], cwd: dataDir },
        { HOME: dataDir, CODEX_HOME: dataDir, CLAUDE_CONFIG_DIR: `${dataDir}/x`, PATH: `${dataDir}/bin` },
      );
      expect(naming).toEqual(plain);
      expect(JSON.stringify(naming)).not.toMatch(ofTheNode);
    },
  },
  around,
);

carryOut(
  machine,
  ["pod"],
  {
    "another-companys-files": async () => {
      for (const agentId of [randomUUID(), randomUUID()]) {
        const { volumes } = await podFor(agentId, {});
        const claims = volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim ?? []);
        expect(claims).toEqual([{ claimName: volumeNameOf(installation, agentId) }]);
        const own = volumes.filter((each) => !("persistentVolumeClaim" in each));
        expect(own.map(({ name, ...source }) => Object.keys(source).join())).toEqual([
          "configMap",
          "secret",
          "emptyDir",
          "emptyDir",
        ]);
      }
    },
    "rights-on-the-engine": async () => {
      const spec = await podFor(randomUUID(), {});
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(spec.containers).toHaveLength(1);
      expect(spec.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(JSON.stringify(spec)).not.toMatch(ofTheNode);
    },
  },
  around,
);
