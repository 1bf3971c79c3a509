import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentUsers } from "../../adapters-infra/local/agent-users.ts";
import { agentWorkspaces } from "../../adapters-infra/local/agent-workspaces.ts";
import { ownFolder } from "../../adapters-infra/local/own-folder.ts";

const before = { uid: 64_001, gid: 64_000 };
const after = { uid: 64_002, gid: 64_000 };

let folder: string;
let others: string;
const swappers: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "owned-folders-"));
  chmodSync(folder, 0o755);
  others = join(folder, "others");
  mkdirSync(others);
});
afterEach(async () => {
  for (const swapper of swappers.splice(0)) {
    swapper.kill("SIGKILL");
    if (swapper.exitCode === null && swapper.signalCode === null) await once(swapper, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** A program of that user that makes folders links to `others` and back, without end. */
const swapping = async (cwd: string, { uid, gid }: typeof before) => {
  const swapper = spawn(
    process.execPath,
    [
      "-e",
      `const { renameSync, symlinkSync, readdirSync } = require("node:fs");
       const names = readdirSync(".").filter((name) => name.startsWith("d"));
       const tried = (work) => { try { work(); } catch {} };
       process.stdout.write("begun\\n");
       for (;;) for (const name of names) {
         tried(() => symlinkSync(${JSON.stringify(others)}, "link-" + name));
         tried(() => renameSync(name, "kept-" + name));
         tried(() => renameSync("link-" + name, name));
         tried(() => renameSync(name, "link-" + name));
         tried(() => renameSync("kept-" + name, name));
       }`,
    ],
    { cwd, uid, gid, stdio: ["ignore", "pipe", "ignore"] },
  );
  swappers.push(swapper);
  await once(swapper.stdout, "data");
};

/** Folders of that user, each with the names of the files in `others`. */
const folders = (cwd: string, { uid, gid }: typeof before, count: number, files: number) => {
  mkdirSync(cwd, { recursive: true });
  for (let n = 0; n < count; n += 1) {
    mkdirSync(join(cwd, `d${n}`));
    for (let file = 0; file < files; file += 1) {
      writeFileSync(join(cwd, `d${n}`, `f${file}`), "");
      chownSync(join(cwd, `d${n}`, `f${file}`), uid, gid);
    }
    chownSync(join(cwd, `d${n}`), uid, gid);
  }
  chownSync(cwd, uid, gid);
  for (let file = 0; file < files; file += 1) writeFileSync(join(others, `f${file}`), "theirs");
};

describe.skipIf(process.getuid?.() !== 0)("a folder that programs change meanwhile", () => {
  it("is given to another user without what its links lead to", async () => {
    const cwd = join(folder, "workspace");
    folders(cwd, before, 1, 500);
    await swapping(cwd, before);
    for (let round = 0; round < 4; round += 1) {
      const [user, owner] = round % 2 === 0 ? [after, before] : [before, after];
      await ownFolder(cwd, user).catch(() => {});
      expect(readdirSync(others).filter((name) => statSync(join(others, name)).uid !== 0)).toEqual([]);
      chownSync(cwd, owner.uid, owner.gid);
      chownSync(cwd, before.uid, before.gid);
      chmodSync(cwd, 0o777);
    }
  });

  it("is removed without what its links lead to", async () => {
    const users: AgentUsers = {
      packages: null,
      ofPackages: () => Effect.succeed({ user: before, env: {} }),
      of: () => Effect.succeed({ user: before, env: {} }),
      folder: (path, user) => Effect.promise(() => ownFolder(path, user)),
    };
    const { lend } = agentWorkspaces(
      { folder: join(folder, "workspaces"), files: join(folder, "files"), env: {} },
      users,
    );
    for (let round = 0; round < 2; round += 1) {
      const lent = await Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const { cwd } = yield* lend(null);
            folders(cwd, before, 1, 500);
            yield* Effect.promise(() => swapping(cwd, before));
            return cwd;
          }),
        ),
      );
      expect(readdirSync(others).length).toBe(500);
      for (const swapper of swappers.splice(0)) swapper.kill("SIGKILL");
      rmSync(lent, { recursive: true, force: true });
    }
  });

  it("is removed with folders that its programs have closed", async () => {
    const users: AgentUsers = {
      packages: null,
      ofPackages: () => Effect.succeed({ user: before, env: {} }),
      of: () => Effect.succeed({ user: before, env: {} }),
      folder: (path, user) => Effect.promise(() => ownFolder(path, user)),
    };
    const { lend } = agentWorkspaces(
      { folder: join(folder, "workspaces"), files: join(folder, "files"), env: {} },
      users,
    );
    const lent = await Effect.runPromise(
      Effect.scoped(
        Effect.map(lend(null), ({ cwd }) => {
          folders(cwd, before, 2, 2);
          chmodSync(join(cwd, "d0"), 0);
          return cwd;
        }),
      ),
    );
    expect(existsSync(lent)).toBe(false);
  });
});
