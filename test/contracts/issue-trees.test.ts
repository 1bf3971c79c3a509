import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentUsers, companyHomes } from "../../adapters-infra/local/agent-users.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { issueWorkspaces } from "../../adapters-infra/local/issue-workspaces.ts";
import { scratchOf } from "../../adapters-infra/local/workspace-steps.ts";
import { serviceAuthor } from "../../core/model/repositories/authorship.ts";
import type { RunId, VolumeId, WorkspaceId } from "../../core/model/shared/ids.ts";
import type { WorkspaceFolder } from "../../ports/issue-workspaces.ts";
import { outcomeOf } from "../support/code-stores.ts";
import { git, gitEnv } from "../support/git-host.ts";
import {
  foreign,
  forged,
  gitAttacks,
  inspectAsUsual,
  openAskingHost,
  plainRepository,
} from "../support/hostile-git.ts";
import { installation } from "../support/installation.ts";
import { sampled, times } from "../support/sample.ts";
import { atCommitContract } from "./at-commit-contract.ts";
import {
  issueTreesContract,
  makeTree,
  openTreeStores,
  stepIn,
  type TestedTrees,
} from "./issue-trees-contract.ts";

let tested: TestedTrees;

beforeAll(async () => {
  const at = await openTreeStores();
  const { dataDir, sandbox, users, views } = at;
  const processes = childProcessRunner({ installation, sandbox, views });
  const homes = join(dataDir, "homes");
  const trees = issueWorkspaces(
    {
      volume: "v" as VolumeId,
      folder: join(dataDir, "trees"),
      workspaces: join(dataDir, "workspaces"),
      homes,
      files: join(dataDir, "files"),
      env: { PATH: "/usr/bin:/bin" },
      processes,
    },
    users === null
      ? companyHomes(homes)
      : agentUsers(users, { installation, homes, serviceHome: undefined, claims: null }, () =>
          Effect.succeed(1),
        ),
  );
  tested = { at, processes, trees };
});
afterAll(() => tested.at.close());

issueTreesContract(() => tested);
atCommitContract(
  () => tested,
  () => {
    const folder = join(tested.at.dataDir, "trees", ".temporary", tested.at.hosted.companyId);
    return existsSync(folder) ? readdirSync(folder) : [];
  },
);

it("An agent in its workspace cannot write what it borrows, and sees nothing else of the service's stores", async () => {
  const tree = await makeTree(tested);
  const objects = tested.at.stores.sharedObjects(tested.at.hosted);
  const looked = await tree.sh(
    `touch ${objects}/x 2>/dev/null && echo wrote; ls ${objects}/.. ${objects}/../..; :`,
  );
  expect(looked).not.toContain("wrote");
  expect(looked).not.toMatch(/kept.git|HEAD|refs/);
});

describe("A repository of a hostile agent", () => {
  let lab: string;
  let plain: string;
  let closeHost: () => void;
  beforeAll(async () => {
    lab = mkdtempSync(join(tmpdir(), "hostile-git-"));
    plain = join(lab, "plain");
    plainRepository(plain);
    closeHost = await openAskingHost();
  });
  afterAll(() => {
    closeHost();
    rmSync(lab, { recursive: true, force: true });
  });

  interface Left {
    readonly runId: RunId;
    readonly head: string;
    readonly files: string;
    readonly folder: WorkspaceFolder;
    readonly others: string;
  }
  /** By the tree of the files: what is kept of most attacks is the same. */
  const left = new Map<string, Left>();
  /** Names the step of the service to the program, wherever that runs. */
  const current = (folder: string, step: string) => writeFileSync(join(folder, "current"), step);

  /** Their git directory, HEAD or objects are not in the clone. */
  const notContinued = /^a missing HEAD|^(\.git file|alternates|symlink \.git\/objects) elsewhere$/;

  it.each(sampled(gitAttacks, 3))(
    "with $name harms who looks into it, and is kept without harm",
    async ({ make, naive, name }) => {
      const own = mkdtempSync(join(lab, "attack-"));
      const { trees } = tested;
      const { stores, hosted, server, capturedStore } = tested.at;
      const folder = { companyId: hosted.companyId, id: randomUUID() as WorkspaceId };
      const sharedObjects = stores.sharedObjects(hosted);
      const workspace = await Effect.runPromise(trees.open(null, folder, [sharedObjects]));
      // In the agents' sandbox the program is there, and so is what it leaves.
      const scratch = scratchOf(workspace.cwd);
      const payload = join(scratch, "payload");
      writeFileSync(payload, `#!/bin/sh\ntouch ${scratch}/mark-$(cat ${scratch}/current)\nexit 0\n`, {
        mode: 0o755,
      });
      const marks = () => readdirSync(scratch).filter((each) => /^mark-(?!making)/.test(each));
      current(scratch, "making");
      const made = join(own, "made");
      cpSync(plain, made, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      make(made, payload, own);
      cpSync(made, workspace.cwd, { recursive: true, verbatimSymlinks: true });
      if (workspace.user !== null)
        execFileSync("chown", ["-Rh", `${workspace.user.uid}:${workspace.user.gid}`, workspace.cwd, scratch]);
      const runId = randomUUID() as RunId;
      const standIn = (await Effect.runPromise(stores.head(hosted, "main")))!;
      const order = {
        repositoryId: hosted.repositoryId,
        directory: null,
        url: server.url,
        token: "token",
        trailers: [],
      };
      current(scratch, "kept");
      await Effect.runPromise(
        trees.keep(stepIn(workspace), { ...order, sharedObjects, runId, standIn, outsideOf: [] }),
      );
      const clone = {
        ...order,
        sharedObjects,
        author: serviceAuthor,
        branch: "main",
        baseBranch: "main",
        baseCommit: standIn,
        from: null,
      };
      await Effect.runPromise(trees.check(stepIn(workspace), clone));
      // Its note of what a set-up depends on reads the clone.
      const setUp = { command: "true", directory: null, onChange: true, timeoutSec: 60 };
      expect(await Effect.runPromise(trees.command(stepIn(workspace), setUp))).toMatchObject({ exitCode: 0 });
      expect(marks()).toEqual([]);
      const { tree, head } = await Effect.runPromise(stores.capturedRefs(hosted, runId));
      // As if the branch had been merged, and others had changed a file in the commit of the merge.
      const onto = git(plain, ["rev-parse", "other"]);
      const isContinued = await Effect.runPromise(
        trees.continueFrom(stepIn(workspace), clone, {
          fromCommit: head!,
          commit: onto,
          defaultBranch: "main",
        }),
      );
      expect(marks()).toEqual([]);
      const now = ["a.txt", "b.txt", "new.txt"].map((file) =>
        readFileSync(join(workspace.cwd, file), "utf8"),
      );
      expect(now).toEqual([isContinued ? "three\n" : "two\n", "dirty\n", "untracked\n"]);
      expect(isContinued, name).toBe(!notContinued.test(name));
      const shown = git(capturedStore, [
        "--no-replace-objects",
        "show",
        `${tree}:new.txt`,
        `${tree}:a.txt`,
        `${tree}:b.txt`,
      ]);
      expect(shown).toBe("untracked\ntwo\ndirty");
      const found = spawnSync(
        "git",
        ["--git-dir", capturedStore, "grep", "-e", foreign, "-e", forged, tree!],
        {
          env: gitEnv,
        },
      );
      expect({ status: found.status, text: `${found.stdout}${found.stderr}` }).toEqual({
        status: 1,
        text: "",
      });

      left.set(git(capturedStore, ["rev-parse", `${tree}^{tree}`]), {
        ...{ runId, head: head!, files: tree!, folder },
        others: join(own, "other"),
      });

      // The control: the same repository, looked into in the usual way.
      current(scratch, "naive");
      const inspected = inspectAsUsual(made);
      const harm =
        marks().length > 0
          ? "runs"
          : inspected.includes(foreign)
            ? "leaks"
            : inspected.includes(forged)
              ? "forges"
              : "nothing";
      expect(harm, name).toBe(naive);
    },
  );

  it("is compared, merged, laid out elsewhere and removed, without harm", async () => {
    const { trees } = tested;
    const { stores, hosted } = tested.at;
    const base = (await Effect.runPromise(stores.head(hosted, "main")))!;
    const author = { name: "B", email: "b@x" };
    for (const { runId, head, files, folder, others } of left.values()) {
      const patch = await Effect.runPromise(
        stores.patch(hosted, { base, head: files }, { paths: [], bytes: 100_000 }),
      );
      expect(patch).toContain("+untracked");
      expect(patch).not.toMatch(new RegExp(`${foreign}|${forged}`));
      await outcomeOf(stores.tryMerge(hosted, { onto: base, from: files }));
      const merge = { onto: base, from: files, method: "merge", author, message: "Merge" } as const;
      await outcomeOf(stores.integrate(hosted, merge));
      const again = await makeTree(tested, { from: { runId, head, files } });
      expect(await again.sh("cat new.txt a.txt b.txt; git status --short -- new.txt b.txt")).toBe(
        "untracked\ntwo\ndirty\n M b.txt\n?? new.txt",
      );
      const there = existsSync(others) ? readdirSync(others) : [];
      await Effect.runPromise(trees.discard(folder));
      await Effect.runPromise(trees.emptyTrash());
      expect(existsSync(others) ? readdirSync(others) : []).toEqual(there);
    }
  });
});

it("What a killed service has left of a command, and what has been aside for long, goes; the rest stays", async () => {
  const root = join(tested.at.dataDir, "trees");
  const day = 24 * 3_600_000;
  const aside = [`a-${Date.now() - 29 * day}`, `b-${Date.now() - 31 * day}`];
  for (const path of [...aside.map((name) => join(".aside", name)), ".temporary/c/new", ".temporary/c/old"])
    mkdirSync(join(root, path, "work"), { recursive: true });
  utimesSync(join(root, ".temporary/c/old"), new Date(0), new Date(0));
  await Effect.runPromise(tested.trees.emptyTrash());
  expect(readdirSync(join(root, ".aside"))).toEqual([aside[0]]);
  expect(readdirSync(join(root, ".temporary/c"))).toEqual(["new"]);
  expect(readdirSync(join(root, ".trash"))).toEqual([]);
});

it("A discarded workspace is gone at once, and deleted from the trash with all that an agent has closed", async () => {
  const tree = await makeTree(tested);
  await tree.sh("mkdir -p closed/in; echo x >closed/in/x; chmod 0 closed");
  await Effect.runPromise(tested.trees.discard(tree.folder));
  expect(await Effect.runPromise(tested.trees.isThere(tree.folder))).toBe(false);
  await Effect.runPromise(tested.trees.emptyTrash());
  expect(readdirSync(join(tested.at.dataDir, "trees", ".trash"))).toEqual([]);
});

it("Workspaces at once are made, committed in, kept and published, while their stores are fetched and maintained", async () => {
  const { stores, hosted, host, capturedStore } = tested.at;
  const made = await Promise.all(Array.from({ length: times(6, 20) }, () => makeTree(tested)));
  let isOver = false;
  const upkeep = async () => {
    for (let n = 0; !isOver; n += 1) {
      host.commit({ [`upkeep-${n}.txt`]: "x\n" });
      await Effect.runPromise(stores.fetch(hosted, { maxAgeSec: 0 }));
      await Effect.runPromise(stores.maintain(hosted));
    }
  };
  const work = async (tree: (typeof made)[number], n: number) => {
    await tree.sh("for i in 1 2 3; do echo $i >f$i; git add f$i; git commit -qm $i; done; echo loose >loose");
    const { refs } = await tree.keep();
    const branch = `boardroom/RACE-${n}`;
    expect(await Effect.runPromise(stores.publish(hosted, branch, refs.head!, tree.baseCommit))).toBe(true);
    return { branch, head: refs.head!, files: refs.tree!, base: tree.baseCommit };
  };
  const all = Promise.all(made.map(work)).finally(() => {
    isOver = true;
  });
  await Promise.all([all, upkeep()]);
  const shared = join(capturedStore, "..", "shared.git");
  for (const { branch, head, files, base } of await all) {
    expect(git(capturedStore, ["show", `${files}:loose`])).toBe("loose");
    expect(git(capturedStore, ["rev-list", "--count", `${base}..${head}`])).toBe("3");
    expect(git(shared, ["rev-parse", branch])).toBe(head);
  }
  for (const store of [capturedStore, shared]) git(store, ["fsck", "--connectivity-only"]);
});
