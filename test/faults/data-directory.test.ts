import { mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { claimDataDirectory } from "../../adapters-infra/local/data-directory.ts";
import { takeExclusiveLock } from "../../adapters-infra/local/exclusive-lock.ts";
import { processTable } from "../../adapters-infra/local/process-table.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { type Holders, serverHolders } from "../support/service-process.ts";

let holders: Holders;
let tempFolder: string;
beforeAll(async () => {
  holders = await serverHolders();
});
afterAll(() => holders.dispose());
beforeEach(async () => {
  tempFolder = await mkdtemp(join(memoryFolder(), "boardroom-claim-"));
});
afterEach(() => rm(tempFolder, { recursive: true, force: true }));

const claimed = (path: string) => Effect.runPromise(Effect.scoped(claimDataDirectory(path)));
const refusedTo = (path: string) => Effect.runPromise(Effect.flip(Effect.scoped(claimDataDirectory(path))));

test("A data directory is created for its owner alone", async () => {
  const { path } = await claimed(join(tempFolder, "a/data"));
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test("A second service on the directory learns which process holds it", async () => {
  const first = holders.start({ claim: join(tempFolder, "data") });
  await first.ready;
  const second = holders.start({ claim: join(tempFolder, "data") });
  expect(await second.failed).toMatchObject({
    kind: "DataDirectoryInUse",
    pid: first.pid,
    failed: expect.stringContaining(`in use by process ${first.pid}`),
  });
  expect(await second.exited).toBe(1);
  await first.stop();
});

test("The same process cannot claim a directory twice, not even under another path", async () => {
  await claimed(join(tempFolder, "data"));
  await symlink(join(tempFolder, "data"), join(tempFolder, "alias"));
  const refused = await Effect.runPromise(
    Effect.scoped(
      Effect.andThen(
        claimDataDirectory(join(tempFolder, "data")),
        Effect.flip(claimDataDirectory(join(tempFolder, "alias"))),
      ),
    ),
  );
  expect(refused).toMatchObject({ _tag: "DataDirectoryInUse", pid: process.pid });
});

test("A directory is free again after its holder was killed", async () => {
  const first = holders.start({ claim: join(tempFolder, "data") });
  await first.ready;
  first.child.kill("SIGKILL");
  await first.exited;
  expect(await claimed(join(tempFolder, "data"))).toMatchObject({ path: expect.stringContaining("data") });
});

test("If many start at once after a dead service, exactly one gets the directory", async () => {
  const directory = join(tempFolder, "data");
  await claimed(directory);
  await writeFile(join(directory, "lock"), JSON.stringify({ pid: 1, startedAt: "long ago" }));
  const starters = Array.from({ length: 8 }, () => holders.start({ claim: directory }));
  const outcomes = await Promise.all(
    starters.map((starter) =>
      Promise.race([starter.ready.then(() => "won"), starter.failed.then(({ kind }) => kind)]),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === "won")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === "DataDirectoryInUse")).toHaveLength(7);
  await Promise.all(starters.map((starter) => starter.stop()));
});

test("Another process that reuses the pid of a dead holder does not hold the directory", async () => {
  const directory = join(tempFolder, "data");
  await claimed(directory);
  await writeFile(join(directory, "lock"), JSON.stringify({ pid: 1, startedAt: "another life" }));
  await expect(claimed(directory)).resolves.toBeDefined();
});

test("If a file system loses locks, a living recorded holder counts", async () => {
  const directory = join(tempFolder, "data");
  await claimed(directory);
  const other = holders.start({ claim: join(tempFolder, "elsewhere") });
  await other.ready;
  await writeFile(join(directory, "lock"), JSON.stringify(processTable().identify(other.pid)));
  expect(await refusedTo(directory)).toMatchObject({ _tag: "DataDirectoryInUse", pid: other.pid });
  await other.stop();
});

test("A path that is not a directory is refused with a sentence", async () => {
  await writeFile(join(tempFolder, "file"), "");
  expect(await refusedTo(join(tempFolder, "file"))).toMatchObject({
    _tag: "DataDirectoryUnusable",
    message: expect.stringContaining("SERVICE_DATA_DIR"),
  });
});

test("Without the program flock, a directory still has one holder at a time", async () => {
  const file = join(tempFolder, "lock");
  const first = await takeExclusiveLock(file, "no-such-program");
  expect(first).not.toBeNull();
  expect(await takeExclusiveLock(file, "no-such-program")).toBeNull();
  first?.release();
  const next = await takeExclusiveLock(file, "no-such-program");
  expect(next).not.toBeNull();
  next?.release();
});
