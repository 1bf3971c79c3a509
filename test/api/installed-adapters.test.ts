import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { packed } from "../support/tar.ts";

let service: TestService;
let folder: string;
let companyId: string;
let registry: Server;

const code = (type: string, execute: string) => `
export const type = ${JSON.stringify(type)};
export const label = "An external adapter";
export const models = [{ id: "m", label: "M" }];
export const agentConfigurationDoc = "# " + type;
export const createServerAdapter = () => ({
  type, models, agentConfigurationDoc,
  testEnvironment: async ({ adapterType }) => ({ adapterType, status: "pass", testedAt: "", checks: [
    { level: "info", code: "here", message: "pid " + process.pid } ] }),
  execute: async (context) => { ${execute} },
});`;

const echo = `
  let seen = 0;
  await context.onLog("system", "pid " + process.pid + "\\n");
  const outcome = await context.runProcess({ command: "sh", args: ["-c", "cat; echo $SERVICE_RUN_ID"],
    stdin: "Hello " + context.agent.name + "\\n", timeoutSec: 20, graceSec: 1, onStdoutLine: () => { seen += 1; } });
  return { exitCode: outcome.exitCode, timedOut: outcome.timedOut, summary: "lines " + seen };`;

const uiParser = `module.exports.parseStdoutLine = (line, ts) => [{ kind: "assistant", ts, text: "<" + line + ">" }];`;

const aPackage = (name: string, type: string, execute = echo, more: object = {}): string => {
  const directory = join(folder, name);
  const manifest = {
    name,
    version: "1.0.0",
    type: "module",
    exports: { ".": "./index.js", "./server": "./index.js", "./ui-parser": "./ui.cjs" },
    files: ["index.js", "ui.cjs"],
    boardroom: { uiParser: "1.0.0" },
    ...more,
  };
  const files = {
    "package.json": JSON.stringify(manifest),
    "index.js": code(type, execute),
    "ui.cjs": uiParser,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  return directory;
};

/** Starts an npm registry with one package, whose scripts leave a mark when they run. */
const startRegistry = async (): Promise<Server> => {
  const directory = aPackage("external", "external", echo, {
    scripts: { postinstall: `touch ${join(folder, "script-ran")}`, install: "exit 1" },
  });
  const archive = packed(directory);
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return void response.end(archive);
    if (request.url !== "/external") return void response.writeHead(404).end("{}");
    const { port } = server.address() as AddressInfo;
    const dist = { tarball: `http://127.0.0.1:${port}/external-1.0.0.tgz`, integrity };
    response.setHeader("content-type", "application/json");
    const version = { name: "external", version: "1.0.0", dist };
    response.end(
      JSON.stringify({ name: "external", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.npm_config_registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "adapters-"));
  registry = await startRegistry();
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Lighthouse" })).id;
});
afterAll(async () => {
  delete process.env.npm_config_registry;
  await service?.stop();
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const install = (body: object) => service.request("POST", "/api/adapters", { body });
const remove = (type: string) => service.request("DELETE", `/api/adapters/${type}`);
const types = async () =>
  (await service.request("GET", "/api/adapters")).body.map(({ type }: { type: string }) => type);

/** Runs one heartbeat of a new agent of that type. */
const heartbeat = async (adapterType: string) => {
  const { admin } = service;
  const { id: agentId } = await admin.agents.create({ companyId, name: `A ${randomUUID()}`, adapterType });
  const runId = (await admin.agents.invoke({ agentId })).id!;
  return eventually(
    () => admin.runs.get({ runId }),
    ({ status }) => status !== "queued" && status !== "running",
  );
};

describe("an adapter from a folder", () => {
  it("is linked, runs agents in its own process, renders transcripts, and is removed", async () => {
    const localPath = aPackage("local-one", "local_one");
    const { status, body } = await install({ localPath });
    expect(body).toMatchObject({ packageName: null, localPath, type: "local_one", version: "1.0.0" });
    expect(status).toBe(201);
    const written = JSON.parse(readFileSync(join(service.dataDir, "adapters", "registry.json"), "utf8"));
    expect(written).toMatchObject([{ type: "local_one", localPath, packageName: null }]);

    const headers = { "idempotency-key": randomUUID() };
    const once = await service.request("POST", "/api/adapters", { body: { localPath }, headers });
    const again = await service.request("POST", "/api/adapters", { body: { localPath }, headers });
    expect(again).toMatchObject({ status: 201, body: once.body });

    const run = await heartbeat("local_one");
    expect(run).toMatchObject({ status: "succeeded", error: null, summary: "lines 2" });
    const transcript = (await service.request("GET", `/api/heartbeat-runs/${run.id}/transcript`)).body;
    const texts = transcript.entries.map(({ kind, text }: { kind: string; text: string }) => [kind, text]);
    expect(texts).toContainEqual(["assistant", expect.stringMatching(/^<Hello A [0-9a-f-]{36}>$/)]);
    expect(texts).toContainEqual(["assistant", `<${run.id}>`]);
    const pid = texts.find(([kind]: string[]) => kind === "system")?.[1];
    expect(pid).not.toBe(`pid ${process.pid}`);

    writeFileSync(
      join(localPath, "index.js"),
      code("local_one", "return { exitCode: 0, timedOut: false, summary: 'new' }"),
    );
    expect((await service.request("POST", "/api/adapters/local_one/reload")).status).toBe(200);
    expect(await heartbeat("local_one")).toMatchObject({ status: "succeeded", summary: "new" });

    expect((await remove("local_one")).body).toEqual({ type: "local_one", removed: true });
    expect(await types()).not.toContain("local_one");
    expect(existsSync(localPath)).toBe(true);
    expect((await remove("local_one")).status).toBe(404);
  });

  it.each([
    ["crashes", "process.exit(3);", /exit code 3/],
    ["is killed", "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});", /SIGKILL/],
    ["throws", "throw new Error('no such luck');", /no such luck/],
    // Stuck like a loop without end, which uses up no processor.
    ["is stuck for ever", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);", /stuck/],
  ])("that %s fails only its run, and serves the next", async (what, execute, sentence) => {
    const type = `hostile_${what.replaceAll(" ", "_")}`;
    expect((await install({ localPath: aPackage(type, type, execute) })).status).toBe(201);
    const run = await heartbeat(type);
    expect(run).toMatchObject({ status: "failed", errorCode: "adapter_failed" });
    expect(run.error).toMatch(sentence);
    const tested = await service.request(
      "POST",
      `/api/companies/${companyId}/adapters/${type}/test-environment`,
      { body: {} },
    );
    expect(tested.body).toMatchObject({ status: "pass", checks: [{ code: "here" }] });
    expect((await remove(type)).status).toBe(200);
  });

  it.each([
    ["no folder", () => ({ localPath: "/no/where" }), 422, /does not exist/],
    [
      "a relative path to nothing",
      () => ({ localPath: "here" }),
      422,
      /The folder \/.*\/here does not exist/,
    ],
    ["both", () => ({ localPath: "/a", packageName: "b" }), 422, /either packageName or localPath/],
    ["neither", () => ({}), 422, /either packageName or localPath/],
    ["a type of ours", () => ({ localPath: aPackage("clash", "process") }), 409, /process/],
    ["an import that never ends", () => ({ localPath: slow() }), 422, /no answer in 10 seconds/],
    ["exports that are none", () => ({ localPath: aPackage("Bad", "Not Snake") }), 422, /snake_case/],
    ["an option as a name", () => ({ packageName: "--global" }), 422, /name of a package/],
    ["an address as a name", () => ({ packageName: "https://a.example/x.tgz" }), 422, /name of a package/],
    ["a package nobody has", () => ({ packageName: "nobody-has-it" }), 422, /npm could not install/],
  ] as const)("that is %s is refused with a sentence", async (_what, body, status, sentence) => {
    const answer = await install(body());
    expect(answer).toMatchObject({ status });
    expect(answer.body.error).toMatch(sentence);
  });
});

const slow = (): string => {
  const directory = aPackage("slow", "slow");
  writeFileSync(join(directory, "index.js"), "await new Promise((resolve) => setTimeout(resolve, 60_000));");
  return directory;
};

describe("an adapter from a package registry", () => {
  it("is pinned with its integrity, and none of its scripts runs", async () => {
    const { status, body } = await install({ packageName: "external" });
    expect(body).toMatchObject({
      packageName: "external",
      localPath: null,
      type: "external",
      version: "1.0.0",
    });
    expect(status).toBe(201);
    expect(body.integrity).toMatch(/^sha512-/);
    expect(existsSync(join(folder, "script-ran"))).toBe(false);
    expect(await heartbeat("external")).toMatchObject({ status: "succeeded", summary: "lines 2" });
  });
});

interface Row {
  readonly type: string | null;
  readonly status: string;
  readonly error: string | null;
}

describe("the registry file", () => {
  it("is read at the start with its manual changes, whatever is broken in it", async () => {
    const other = await startService();
    const { dataDir } = other;
    await other.stop();
    mkdirSync(join(dataDir, "adapters"), { recursive: true });
    const entries = [
      { type: "by_hand", localPath: aPackage("by-hand", "by_hand") },
      { type: "broken", localPath: "/no/where" },
      { type: "No Type", localPath: "/no/where" },
      "nonsense",
    ];
    writeFileSync(join(dataDir, "adapters", "registry.json"), JSON.stringify(entries));
    const again = await startService({ env: { SERVICE_DATA_DIR: dataDir } });
    const list = async () => (await again.request("GET", "/api/adapters")).body;
    const rows = await eventually(list, (all) => all.every(({ status }: Row) => status !== "loading"));
    expect(rows.find(({ type }: Row) => type === "by_hand")).toMatchObject({ source: "local", loaded: true });
    expect(rows.find(({ type }: Row) => type === "broken")).toMatchObject({
      loaded: false,
      status: "failed",
      localPath: "/no/where",
      error: expect.stringMatching(/does not exist/),
    });
    expect(rows.filter(({ type }: Row) => type === null).map(({ error }: Row) => error)).toEqual([
      expect.stringMatching(/entry 3: type must be snake_case/),
      expect.stringMatching(/entry 4: /),
    ]);
    await again.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
