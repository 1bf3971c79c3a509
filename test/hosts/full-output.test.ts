import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { root } from "../support/imports.ts";
import { program } from "../support/service-program.ts";

let folder: string;
let full: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-output-"));
  full = openSync("/dev/full", "w");
});
afterAll(async () => {
  closeSync(full);
  await rm(folder, { recursive: true, force: true });
});

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { PATH: process.env.PATH, SERVICE_DATA_DIR: folder },
  });

describe.runIf(process.platform === "linux")("Output to a disk that is full", () => {
  it.each([["--help"], ["doctor", "--json"]])("fails a command in a sentence: boardroom %s", (...args) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, SERVICE_DATA_DIR: folder },
      stdio: ["ignore", full, "pipe"],
    });
    expect(stderr).toBe("✗ The output cannot be written: no space is left there.\n");
    expect(status).toBe(1);
  });

  it("ends no service, neither of its greeting nor of its log", async () => {
    const data = join(folder, "data");
    const service = spawn(process.execPath, [program, "serve"], {
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        SERVICE_DATA_DIR: data,
        SERVICE_SANDBOX: "off",
        SERVICE_LOG_LEVEL: "trace",
        SERVICE_DATABASE_DURABLE: "false",
      },
      stdio: ["ignore", full, full],
    });
    onTestFinished(() => void service.kill("SIGKILL"));
    const exited = once(service, "exit");
    const url = await expect
      .poll(
        async () => JSON.parse(await readFile(join(data, "service.json"), "utf8").catch(() => "null"))?.url,
        {
          timeout: 60_000,
        },
      )
      .toBeDefined()
      .then(async () => JSON.parse(await readFile(join(data, "service.json"), "utf8")).url as string);
    expect(await (await fetch(`${url}/api/health`)).json()).toEqual({ status: "ok" });
    service.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});

it("Yarn Plug'n'Play is refused in a sentence", async () => {
  const mark = join(folder, "pnp.cjs");
  await writeFile(mark, 'process.versions.pnp = "3";');
  const { status, stdout, stderr } = node("--require", mark, program, "--help");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^Boardroom does not run under Yarn Plug'n'Play, .*nodeLinker: node-modules.*\.\n$/);
});

it("A checkout that was installed with --ignore-scripts says how to build it", async () => {
  const scripts = join(folder, "scripts");
  await mkdir(scripts);
  await copyFile(join(root, "scripts/require-build.mjs"), join(scripts, "require-build.mjs"));
  const before = node(join(scripts, "require-build.mjs"));
  expect(before).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Boardroom is not built yet.*npm run prepare\n$/),
  });
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "dist/boardroom.js"), "");
  expect(node(join(scripts, "require-build.mjs"))).toMatchObject({ status: 0, stderr: "" });
});
