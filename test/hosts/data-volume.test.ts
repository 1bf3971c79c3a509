import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServiceProgram, type StartOptions, serveProgram } from "../support/service-program.ts";

let data: string;
let service: ServiceProgram | null = null;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "boardroom-volume-"));
});
afterEach(async () => {
  await service?.stop();
  service = null;
  await rm(data, { recursive: true, force: true });
});

const start = async (around: StartOptions = {}) => {
  service = await serveProgram(data, {}, [], around);
  return service.board();
};
const stop = async () => {
  await service?.stop();
  service = null;
};

describe("A data directory on a volume", () => {
  it("starts again after a mount has made all of it writable for a group, as Kubernetes does for fsGroup", async () => {
    await (await start()).companies.create({ name: "Harbour" });
    await stop();
    execFileSync("chmod", ["-R", "g+rwX", data]);
    execFileSync("find", [data, "-type", "d", "-exec", "chmod", "g+s", "{}", "+"]);
    expect((await (await start()).companies.list()).map(({ name }) => name)).toEqual(["Harbour"]);
    expect((await stat(join(data, "database/cluster"))).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.getuid?.() === 0)(
    "is made and used where shared memory has little room, as in a small container",
    async () => {
      const script = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"';
      await (await start({ through: ["unshare", "--mount", "sh", "-c", script, "sh"] })).companies.create({
        name: "Harbour",
      });
    },
  );

  it("gets a fresh board token where its own is empty or of another database, and not where it was revoked", async () => {
    const file = join(data, "board-token");
    await start();
    // The first is what a power loss leaves.
    for (const text of ["", `brd_${"0".repeat(48)}\n`]) {
      await stop();
      await writeFile(file, text);
      await (await start()).companies.create({ name: "Harbour" });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    const board = (await service?.board())!;
    const token = await service?.token();
    const newest = (await board.tokens.list())
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
      .at(-1);
    await board.tokens.revoke({ tokenId: newest!.id });
    await stop();
    await expect((await start()).companies.list()).rejects.toMatchObject({ status: 401 });
    expect(await service?.token()).toBe(token);
  });

  it("may hold the lost+found of its file system", async () => {
    await mkdir(join(data, "lost+found"), { mode: 0o000 });
    await (await start()).companies.create({ name: "Harbour" });
  });
});
