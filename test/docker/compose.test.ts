import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { where } from "../support/agent-image.ts";
import { archiveOfImages, imageName, versions } from "./checkout-image.ts";
import { startEngine, type TestEngine } from "./engine.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const composeFile = "deploy/compose.yaml";

const isPossible =
  process.getuid?.() === 0 &&
  ["podman", "debootstrap", "dockerd", "docker-compose"].every((name) => where(name) !== null);

/** `npm run test:docker`: the commands of the docs, by Docker and Debian's docker-compose, on a network of their own. */
describe.runIf(isPossible)("deploy/compose.yaml", () => {
  const network = `brc${process.pid}`;
  let folder: string;
  let engine: TestEngine;
  let env: NodeJS.ProcessEnv;
  let link: string;

  const docker = async (...args: readonly string[]) =>
    (await run(join(folder, "bin/docker"), args, { cwd: folder, env })).stdout.trim();
  const inService = (...args: readonly string[]) =>
    docker("compose", "-f", composeFile, "exec", "-T", "boardroom", ...args);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "br-compose-"));
    const archive = await archiveOfImages();
    execFileSync("ip", ["netns", "add", network]);
    execFileSync("ip", ["-n", network, "link", "set", "lo", "up"]);
    engine = await startEngine("dockerd", { network });
    env = {
      ...process.env,
      DOCKER_HOST: `unix://${engine.socket}`,
      PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    };
    // Debian's docker-compose is the first version, which has the project's name from a flag; the images are there already.
    mkdirSync(join(folder, "bin"));
    writeFileSync(
      join(folder, "bin/docker"),
      `#!/bin/sh
case "$1" in
  build) exec ${where("docker")} tag ${imageName}:${versions[0]} boardroom:latest ;;
  compose) shift; exec docker-compose --project-name boardroom "$@" ;;
  *) exec ${where("docker")} "$@" ;;
esac
`,
    );
    chmodSync(join(folder, "bin/docker"), 0o755);
    cpSync(join(root, "deploy"), join(folder, "deploy"), { recursive: true });
    const text = readFileSync(join(root, composeFile), "utf8");
    writeFileSync(join(folder, composeFile), text.replace(/^name: boardroom$/m, ""));
    await docker("load", "--input", archive);
    for (const version of versions) await docker("tag", `${imageName}:${version}`, `boardroom:${version}`);
    await s3Image();
    link = await walk(walkOf("compose"));
  }, 1_800_000);
  const walkOf = (way: string): string => {
    const page = readFileSync(join(root, "docs/deployment.md"), "utf8");
    return new RegExp(`<!-- walk: ${way} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
  };
  /** Returns the last line that the commands print. */
  const walk = async (commands: string): Promise<string> => {
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands], { cwd: folder, env });
    return stdout.trim().split("\n").at(-1)!;
  };
  /** Of the image with Node that is there, because none can be pulled. */
  const s3Image = async (): Promise<void> => {
    const [, name] = /^ {4}image: \$\{S3_IMAGE:-(.+)\}$/m.exec(
      readFileSync(join(root, composeFile), "utf8"),
    )!;
    const files = join(folder, "s3");
    mkdirSync(files);
    const program = {
      entryPoints: [join(root, "test/docker/s3-program.ts")],
      outfile: join(files, "s3.mjs"),
    };
    await build({ ...program, bundle: true, platform: "node", format: "esm", logLevel: "error" });
    writeFileSync(
      join(files, "Dockerfile"),
      `FROM docker.io/library/postgres:18\nUSER root\nCOPY s3.mjs /\nENTRYPOINT ["node", "/s3.mjs"]\n`,
    );
    const plain = { ...env, DOCKER_BUILDKIT: "0" };
    await run(where("docker")!, ["build", "--tag", name!, files], { env: plain });
  };
  afterAll(async () => {
    await docker("compose", "-f", composeFile, "down", "--volumes").catch(() => "");
    await engine?.close();
    execFileSync("ip", ["netns", "delete", network]);
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  it("starts as the docs show, and its link signs a person in", async () => {
    const code = /#code=(.+)$/.exec(link)![1];
    const script = `fetch("http://127.0.0.1:3100/api/session/code", { method: "POST",
      headers: { "content-type": "application/json", origin: "http://127.0.0.1:3100" },
      body: JSON.stringify({ code: process.argv[1] }) }).then(({ status }) => console.log(status))`;
    const args = [`--net=/run/netns/${network}`, process.execPath, "-e", script, code!];
    expect((await run("nsenter", args)).stdout).toBe("201\n");
  });

  it("stores everything in PostgreSQL and its volume, on a system that is read-only", async () => {
    expect(await inService("sh", "-c", "ls /data/database 2>&1 || true")).toContain("No such file");
    expect(await inService("sh", "-c", "touch /opt/x 2>&1 || true")).toContain("Read-only file system");
    const { stdout } = await run(
      where("docker")!,
      ["stats", "--no-stream", "--format", "{{.Name}}: {{.MemUsage}}"],
      { env },
    );
    console.log(stdout);
  });

  it("is upgraded and rolled back by its tag, and loses no request and no run", async () => {
    const token = await inService("cat", "/data/board-token");
    const program = [join(root, "test/docker/load.mjs"), "http://127.0.0.1:3100", token, "repeat"];
    const load: ChildProcess = spawn(
      "nsenter",
      [`--net=/run/netns/${network}`, process.execPath, ...program],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const lines = createInterface({ input: load.stdout! });
    const output: string[] = [];
    lines.on("line", (line) => output.push(line));
    await once(lines, "line");
    for (const version of [versions[1], versions[0]]) {
      appendFileSync(join(folder, "deploy/.env"), `BOARDROOM_TAG=${version}\n`);
      const began = performance.now();
      await docker("compose", "-f", composeFile, "up", "-d");
      await expect
        .poll(() => inService("boardroom", "system", "health").catch(() => ""), { interval: 500 })
        .toContain("ok");
      console.log(`${version} answers after ${((performance.now() - began) / 1000).toFixed(1)} s`);
      const image = '{{index .Config.Labels "version"}}';
      expect(await docker("inspect", "boardroom_boardroom_1", "--format", image)).toBe(version);
    }
    load.kill("SIGTERM");
    await once(load, "exit");
    const result = JSON.parse(output.at(-1)!);
    console.log(result);
    expect(result).toMatchObject({ lost: [], twice: [], issues: ["done", "done"] });
    expect(result.requests).toBeGreaterThan(100);
    // Runs in the service's container are interrupted, and continue.
    expect(result.runs.filter((status: string) => status !== "interrupted")).toEqual([
      "succeeded",
      "succeeded",
    ]);
  });

  it("stores files and logs in a store next to it, where its profile is on", async () => {
    await docker("compose", "-f", composeFile, "down", "--volumes");
    await walk(walkOf("compose").replace(/^docker compose .* up -d$/m, `${walkOf("compose with s3")}$&`));
    const cli = async (...args: readonly string[]) =>
      JSON.parse(await inService("boardroom", ...args, "--json"));
    const company = await cli("companies", "create", "--name", "Harbour");
    const config = JSON.stringify({ command: "echo", args: ["in the bucket"] });
    const agent = await cli(
      ...["agents", "create", "-C", company.id, "--name", "Ada", "--adapter-type", "process"],
      ...["--adapter-config", config],
    );
    await cli("agents", "invoke", agent.id);
    await expect
      .poll(() => docker("compose", "-f", composeFile, "logs", "s3"), { interval: 500 })
      .toContain("stored ");
    expect(await inService("sh", "-c", "ls /data/blobs 2>/dev/null | wc -l")).toBe("0");
  });
});
