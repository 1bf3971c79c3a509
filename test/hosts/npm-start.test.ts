import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "npm-start-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("npm start", () => {
  it("passes SIGTERM to the service, which drains, leaves nothing behind and exits 0", async () => {
    const npm = spawn("npm", ["start"], {
      cwd: join(import.meta.dirname, "../.."),
      env: { ...process.env, SERVICE_DATA_DIR: folder, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    const url = await new Promise<string>((resolve, reject) => {
      npm.stdout.on("data", (chunk) => {
        output += chunk;
        const found = /boardroom listening on (\S+)/.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
      npm.once("close", () => reject(new Error(output)));
    });
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    npm.kill("SIGTERM");
    const [code] = await once(npm, "close");
    expect(code).toBe(0);
    await expect(fetch(`${url}/api/health`)).rejects.toThrow();
  });
});
