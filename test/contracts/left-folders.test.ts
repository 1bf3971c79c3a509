import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clearOrphanedFolders, streamFolders } from "../../adapters-infra/local/orphaned-folders.ts";

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "left-"));
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const make = (name: string) => {
  const path = join(temporary, name);
  mkdirSync(path);
  return path;
};

/** A socket whose process was killed. */
const abandon = async (socket: string) => {
  const script = `require("net").createServer().listen(${JSON.stringify(socket)}, () => console.log("listens"))`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
};

it.runIf(process.platform === "linux")(
  "a start removes the folders of services that were killed from the temporary folder, and no other",
  async () => {
    const prefix = await streamFolders();
    const dead = spawn("true");
    await once(dead, "exit");
    writeFileSync(join(make(`${prefix}${dead.pid}-x`), "1"), "");
    make(`${prefix}${process.pid}-x`);
    make("boardroom-streams-1-1-x");
    make("boardroom-spawner-empty");
    await abandon(join(make("boardroom-spawner-dead"), "streams"));
    writeFileSync(join(make("boardroom-spawner-full"), "note"), "of somebody");
    const target = make("of-others");
    symlinkSync(target, join(temporary, "boardroom-spawner-link"));
    const live = createServer();
    await new Promise<void>((listening) =>
      live.listen(join(make("boardroom-spawner-live"), "streams"), listening),
    );
    try {
      await clearOrphanedFolders(temporary);
      expect(readdirSync(temporary).sort()).toEqual(
        [
          `${prefix}${process.pid}-x`,
          "boardroom-spawner-full",
          "boardroom-spawner-link",
          "boardroom-spawner-live",
          "boardroom-streams-1-1-x",
          "of-others",
        ].sort(),
      );
    } finally {
      live.close();
    }
  },
);
