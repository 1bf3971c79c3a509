import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dockerVolumes } from "../../adapters-infra/docker/docker-volumes.ts";
import { engineIssueWorkspaces } from "../../adapters-infra/runner-helper/engine-issue-workspaces.ts";
import { atCommitContract } from "../contracts/at-commit-contract.ts";
import {
  issueTreesContract,
  makeTree,
  openTreeStores,
  type TestedTrees,
} from "../contracts/issue-trees-contract.ts";
import { installation } from "../support/installation.ts";
import { dockerOf, engineKinds, isInstalled, runnerOn, startEngine, type TestEngine } from "./engine.ts";

// `npm run test:docker`: workspaces of issues on volumes of real engines.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describe.each(engineKinds.filter(isInstalled))("workspaces on volumes of %s", (kind) => {
  let engine: TestEngine;
  let tested: TestedTrees;
  beforeAll(async () => {
    engine = await startEngine(kind);
    const docker = dockerOf(engine.socket);
    const processes = runnerOn(engine);
    tested = {
      at: await openTreeStores(),
      processes,
      trees: engineIssueWorkspaces(installation, processes, dockerVolumes(docker)),
    };
  });
  afterAll(async () => {
    tested?.at.close();
    await engine?.close();
  });

  issueTreesContract(() => tested);
  atCommitContract(
    () => tested,
    async () => (await dockerOf(engine.socket).volumes(["boardroom.temporary"])).map(({ Name }) => Name),
  );

  it("are gone once they are discarded, with all that an agent has closed", async () => {
    const { trees } = tested;
    const tree = await makeTree(tested);
    await tree.sh("mkdir -p closed/in; echo x >closed/in/x; chmod 0 closed");
    expect(await Effect.runPromise(trees.isThere(tree.folder))).toBe(true);
    await Effect.runPromise(trees.discard(tree.folder));
    expect(await Effect.runPromise(trees.isThere(tree.folder))).toBe(false);
    await Effect.runPromise(trees.discard(tree.folder));
  });

  it("are copied aside, whole, before they are made anew", async () => {
    const tree = await makeTree(tested);
    await tree.sh("echo s >secret; chmod 0 secret; ln -s a.txt l");
    const result = await Effect.runPromise(tested.trees.setAside(tree.folder));
    const name = result.replace("the volume ", "");
    const docker = dockerOf(engine.socket);
    expect((await docker.volumes(["boardroom.aside"])).map(({ Name }) => Name)).toEqual([name]);
    await Effect.runPromise(tested.trees.discard(tree.folder));
    await Effect.runPromise(tested.trees.emptyTrash());
    expect(await docker.volume(name)).not.toBeNull();
  });

  it("say that their engine cannot be asked, and are not taken for missing", async () => {
    const tree = await makeTree(tested);
    await engine.end("SIGTERM");
    const asked = await Effect.runPromise(Effect.flip(tested.trees.isThere(tree.folder)));
    expect(asked.message).toMatch(/^The engine of its workspace cannot be asked: /);
    await engine.start();
    expect(await Effect.runPromise(tested.trees.isThere(tree.folder))).toBe(true);
  });
});
