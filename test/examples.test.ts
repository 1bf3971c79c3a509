import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapterFiles } from "../hosts/cli/commands/new-adapter.ts";
import { eventually } from "./support/service.ts";
import { program, type ServiceProgram, serveProgram } from "./support/service-program.ts";

const run = promisify(execFile);

describe("the README", () => {
  let folder: string;
  let service: ServiceProgram;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "readme-"));
    service = await serveProgram(join(folder, "data"));
    // In a checkout `npx boardroom` is the checkout's own program; this folder is no checkout.
    await writeFile(join(folder, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    await chmod(join(folder, "npx"), 0o755);
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("leads from nothing to a finished issue in five minutes", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const blocks = [...readme.matchAll(/<!-- walk -->\n```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
    expect(blocks.length).toBeGreaterThan(1);
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", blocks.join("\n")], {
      cwd: folder,
      env: {
        PATH: [folder, process.env.PATH].join(delimiter),
        HOME: folder,
        SERVICE_DATA_DIR: service.dataDir,
        NO_COLOR: "1",
      },
    });
    expect(stdout).toContain("woken because: issue_assigned");
    expect(stdout).toContain("The harbour is open from six to ten.");
    expect(stdout).toMatch(/status\s+done/i);
  });
});

describe("examples/embed.mjs", () => {
  it("runs a Boardroom inside its own program, and ends by itself", async () => {
    const data = await mkdtemp(join(tmpdir(), "embed-"));
    const example = fileURLToPath(new URL("../examples/embed.mjs", import.meta.url));
    const { stdout } = await run(process.execPath, [example, data], { timeout: 25_000 });
    await rm(data, { recursive: true, force: true });
    expect(stdout).toBe("HAR-1 is done\nAda: The harbour is open from six to ten.\nThis is our own page.\n");
  });
});

describe("boardroom/plugin", () => {
  /** The rules that a package breaks, by what is wrong. */
  const conformance = async (folder: string, config: object = {}) => {
    const script = `import { checkConformance } from "boardroom/plugin";
      console.log(JSON.stringify(await checkConformance(process.argv[1], { config: JSON.parse(process.argv[2]) })));`;
    const args = ["--input-type=module", "--eval", script, folder, JSON.stringify(config)];
    const { stdout } = await run(process.execPath, args, {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    const found: { rule: string; problem: string | null }[] = JSON.parse(stdout);
    expect(found.length).toBeGreaterThan(8);
    return found.filter(({ problem }) => problem !== null);
  };

  it("finds no fault with the package that `adapters new` writes, and each fault where there are some", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conformance-"));
    for (const [name, text] of Object.entries(adapterFiles("light-house")))
      await writeFile(join(folder, name), text);
    expect(await conformance(folder)).toEqual([]);

    const careless = adapterFiles("light-house")["index.js"]!.replace('"light_house"', '"Light House"');
    await writeFile(join(folder, "index.js"), careless.replace("testedAt: new", "testedAt: 'now' ?? new"));
    await writeFile(join(folder, "ui-parser.cjs"), "exports.parseStdoutLine = (line) => JSON.parse(line);");
    expect((await conformance(folder)).map(({ rule }) => rule)).toEqual([
      "type is snake_case",
      "testEnvironment fails exactly where a check is an error",
      "the UI parser is self-contained, touches nothing and survives hostile lines",
    ]);
    await rm(folder, { recursive: true, force: true });
  });
});

describe("boardroom adapters new", () => {
  it("leads from nothing to an agent that works with an adapter of one's own", async () => {
    const folder = await mkdtemp(join(tmpdir(), "new-adapter-"));
    const service = await serveProgram(join(folder, "data"));
    const boardroom = async (...args: readonly string[]) => {
      const env = { PATH: process.env.PATH, HOME: folder, SERVICE_DATA_DIR: service.dataDir, NO_COLOR: "1" };
      return (await run(process.execPath, [program, ...args], { cwd: folder, env })).stdout.trim();
    };
    try {
      expect(await boardroom("adapters", "new", "light-house")).toContain("--adapter-type light_house");
      expect(await boardroom("adapters", "check", "light-house")).not.toContain("✗");
      await boardroom("adapters", "install", "--local-path", "light-house");
      expect(await boardroom("adapters", "list")).toContain("light_house");
      await boardroom("companies", "create", "--name", "Harbour Works");
      const agent = await boardroom(
        "agents",
        "create",
        "--name",
        "Ada",
        "--adapter-type",
        "light_house",
        "-q",
      );
      const issue = await boardroom(
        "issues",
        "create",
        "--title",
        "Light it",
        "--assignee-agent-id",
        agent,
        "-q",
      );
      const runs = await eventually(
        async () => JSON.parse(await boardroom("runs", "of-issue", issue, "--json")),
        (found) => found[0]?.status === "succeeded",
      );
      const transcript = JSON.parse(await boardroom("runs", "transcript", runs[0].id, "--json"));
      expect(transcript.parsed).toBe(true);
      expect(transcript.entries).toContainEqual(
        expect.objectContaining({ kind: "assistant", text: expect.stringContaining("Light it") }),
      );
      expect(await boardroom("runs", "transcript", runs[0].id)).toMatch(/^● Working on HAR-1: Light it$/m);
      expect(JSON.parse(await boardroom("issues", "get", issue, "--json"))).toMatchObject({ status: "done" });
    } finally {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }, 90_000);
});
