import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program } from "../support/service-program.ts";
import { stubService } from "../support/stub-service.ts";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "boardroom-load-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Writes the names of the built-in modules that a program has loaded to standard error, as it exits. */
const reportBuiltins =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('@@'+JSON.stringify(process.moduleLoadList)))";

/** Runs the built program; V8's coverage names each script that it has loaded. */
const loadedBy = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const folder = await mkdtemp(join(scratch, "run-"));
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ["--import", reportBuiltins, program, ...args],
    { env: { PATH: process.env.PATH, SERVICE_DATA_DIR: scratch, NODE_V8_COVERAGE: folder, ...env } },
  );
  const { result } = JSON.parse(await readFile(join(folder, (await readdir(folder))[0]!), "utf8")) as {
    readonly result: readonly { readonly url: string }[];
  };
  const scripts = result
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => fileURLToPath(url))
    .filter((path) => path.startsWith(dirname(program)));
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(path)).size));
  const sources = await Promise.all(scripts.map((path) => readFile(path, "utf8")));
  return {
    scripts: scripts.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    /** The packages and rooms of their parts. */
    parts: new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/^ *\/\/ (node_modules\/(?:@[\w-]+\/)?[\w.-]+|[\w-]+\/[\w-]+)\//gm)].map(
          ([, part]) => part!,
        ),
      ),
    ),
    builtins: (JSON.parse(stderr.split("@@")[1]!) as readonly string[]).map((name) =>
      name.replace("NativeModule ", ""),
    ),
  };
};

// A start of Node alone must take most of the time of a command. Time depends on the machine, and what is loaded
// does not: these limits are a little above what commands load.
const heavyParts = [
  "node_modules/zod",
  "node_modules/effect",
  "node_modules/inversify",
  "hosts/api",
  "hosts/http",
];
const heavyBuiltins = ["internal/deps/undici/undici", "child_process", "dgram", "v8", "inspector"];

describe("a command loads what it needs", () => {
  test.each(["--version", "--help", "issues create --help"])("boardroom %s", async (line) => {
    const { scripts, bytes, parts, builtins } = await loadedBy(line.split(" "));
    expect(scripts).toBeLessThanOrEqual(12);
    expect(bytes).toBeLessThan(425_000);
    expect(parts).toContain("node_modules/commander");
    for (const part of [...heavyParts, "node_modules/cli-table3"]) expect(parts).not.toContain(part);
    for (const name of [...heavyBuiltins, "http"]) expect(builtins).not.toContain(name);
  });

  test("a call", async () => {
    const company = { id: "a", name: "Acme", issuePrefix: "ACM", status: "active" };
    const stub = await stubService(() => ({
      json: [{ ...company, budgetMonthlyCents: 0, spentMonthlyCents: 0 }],
    }));
    const env = { SERVICE_API_URL: stub.url, SERVICE_API_KEY: "brd_test" };
    const { scripts, bytes, parts, builtins } = await loadedBy(["companies", "list"], env).finally(
      stub.close,
    );
    expect(scripts).toBeLessThanOrEqual(30);
    expect(bytes).toBeLessThan(620_000);
    expect(parts).toContain("node_modules/cli-table3");
    for (const part of heavyParts) expect(parts).not.toContain(part);
    // From Node 22 on, the names that node:http exports bring undici along.
    const brought = Number.parseInt(process.versions.node, 10) >= 22 ? ["internal/deps/undici/undici"] : [];
    for (const name of heavyBuiltins.filter((each) => !brought.includes(each)))
      expect(builtins).not.toContain(name);
  });
});
