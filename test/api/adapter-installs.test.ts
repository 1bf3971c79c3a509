import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  externalAdapterCode,
  externalAdapterPackage,
  type PackageRegistry,
  packageRegistry,
  temporaryFolder,
} from "../support/external-adapter.ts";
import { startService, type TestService } from "../support/service.ts";
import { type TarEntry, tarball } from "../support/tar.ts";

const folder = temporaryFolder();
let service: TestService;
let registry: PackageRegistry;
let companyId: string;
const before = { registry: process.env.npm_config_registry, cache: process.env.npm_config_cache };

beforeAll(async () => {
  registry = await packageRegistry();
  process.env.npm_config_registry = registry.url;
  process.env.npm_config_cache = join(folder, "npm-cache");
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Lighthouse" })).id;
});
afterAll(async () => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[`npm_config_${name}`];
    else process.env[`npm_config_${name}`] = value;
  await service?.stop();
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const install = (packageName: string) => service.request("POST", "/api/adapters", { body: { packageName } });
const publish = (type: string, version: string, execute: string, manifest: object = {}) => {
  const code = externalAdapterCode({ type, execute });
  const directory = externalAdapterPackage(join(folder, version), type, code, { version, ...manifest });
  registry.publish(directory);
  return directory;
};
const sourceReporting = (summary: string) =>
  `return { exitCode: 0, timedOut: false, summary: ${JSON.stringify(summary)} };`;
const begin = async (adapterType: string) => {
  const { admin } = service;
  const { id: agentId } = await admin.agents.create({
    companyId,
    name: `A ${Math.random()}`,
    adapterType,
  });
  return (await admin.agents.invoke({ agentId })).id!;
};
const ended = (runId: string) =>
  eventually(
    () => service.admin.runs.get({ runId }),
    ({ status }) => status !== "queued" && status !== "running",
  );
const written = () => JSON.parse(readFileSync(join(service.dataDir, "adapters", "registry.json"), "utf8"));
const packages = () => readdirSync(join(service.dataDir, "adapters", "packages"));

describe("an adapter from a package registry", () => {
  it("is upgraded during a run, which keeps its code and files", async () => {
    publish(
      "upgraded",
      "1.0.0",
      `const { existsSync, readFileSync } = await import("node:fs");
       const go = ${JSON.stringify(join(folder, "go"))};
       while (!existsSync(go)) await new Promise((done) => setTimeout(done, 50));
       const late = await import("./ui.cjs");
       return { exitCode: 0, timedOut: false, summary: "1.0.0 " + typeof late.default.parseStdoutLine };`,
    );
    const first = await install("upgraded@1.0.0");
    expect(first).toMatchObject({ status: 201, body: { version: "1.0.0", packageName: "upgraded" } });
    const running = await begin("upgraded");
    await eventually(
      () => service.admin.runs.get({ runId: running }),
      ({ status }) => status === "running",
    );
    publish("upgraded", "1.1.0", sourceReporting("1.1.0"));
    const second = await install("upgraded");
    expect(second).toMatchObject({ status: 201, body: { version: "1.1.0" } });
    expect(await ended(await begin("upgraded"))).toMatchObject({ summary: "1.1.0" });
    expect(packages()).toHaveLength(2);
    writeFileSync(join(folder, "go"), "");
    expect(await ended(running)).toMatchObject({ status: "succeeded", summary: "1.0.0 function" });
    await eventually(
      async () => packages(),
      (left) => left.length === 1,
    );
    expect(written()).toMatchObject([
      { type: "upgraded", version: "1.1.0", integrity: second.body.integrity },
    ]);

    rmSync(join(folder, "go"));
    const again = await install("upgraded@1.0.0");
    expect(again.body).toMatchObject({ version: "1.0.0", integrity: first.body.integrity });
    const last = await begin("upgraded");
    await eventually(
      () => service.admin.runs.get({ runId: last }),
      ({ status }) => status === "running",
    );
    expect((await service.request("DELETE", "/api/adapters/upgraded")).status).toBe(200);
    expect(packages()).toHaveLength(1);
    writeFileSync(join(folder, "go"), "");
    expect(await ended(last)).toMatchObject({ status: "succeeded", summary: "1.0.0 function" });
    await eventually(
      async () => packages(),
      (left) => left.length === 0,
    );
  });

  it("is installed while another is, and the same at the same time", async () => {
    publish("twin_one", "1.0.0", sourceReporting("one"));
    publish("twin_two", "1.0.0", sourceReporting("two"));
    const answers = await Promise.all(["twin_one", "twin_two", "twin_two"].map(install));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(written().map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(["twin_one", "twin_two"]),
    );
    expect(written()).toHaveLength(2);
    expect(await ended(await begin("twin_two"))).toMatchObject({ summary: "two" });
    await eventually(
      async () => packages(),
      (left) => left.length === 2,
    );
    for (const type of ["twin_one", "twin_two"])
      expect((await service.request("DELETE", `/api/adapters/${type}`)).status).toBe(200);
  });

  it("is read-only in every file, and can be removed all the same", async () => {
    publish("sealed", "1.0.0", sourceReporting("true"));
    await install("sealed");
    const packageFolder = join(service.dataDir, "adapters", "packages", packages()[0]!);
    const all = ["", ...(readdirSync(packageFolder, { recursive: true }) as string[])].map((path) =>
      join(packageFolder, path),
    );
    expect(all.length).toBeGreaterThan(4);
    expect(
      all.filter((path) => (lstatSync(path).mode & 0o222) !== 0 && !lstatSync(path).isSymbolicLink()),
    ).toEqual([]);
    await service.request("DELETE", "/api/adapters/sealed");
    expect(packages()).toEqual([]);
  });

  it("whose files have changed since does not run", async () => {
    publish("tampered", "1.0.0", sourceReporting("true"));
    await install("tampered");
    const [packageFolder] = packages();
    const file = join(
      service.dataDir,
      "adapters",
      "packages",
      packageFolder!,
      "node_modules",
      "tampered",
      "index.js",
    );
    const honest = readFileSync(file, "utf8");
    writeFileSync(file, honest.replace("true", "fals"));
    const reload = () => service.request("POST", "/api/adapters/tampered/reload");
    expect(await reload()).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/not those that were installed/) },
    });
    expect((await service.request("GET", "/api/adapters/tampered")).body.error).toMatch(/not those/);
    writeFileSync(file, honest);
    expect((await reload()).status).toBe(200);
    await service.request("DELETE", "/api/adapters/tampered");
  });

  it.each([
    "a;touch x",
    "a b",
    "$(id)",
    "file:/etc",
    "./here",
    "../here",
    "/etc",
    "git+ssh://git@a.example/x.git",
    "github:a/b",
    "a/b",
    "http://a.example/x.tgz",
    "npm:other@1",
    "a@file:/etc",
    "a@git://x",
    "a@npm:b@1",
    "a@^1.0.0",
    "@scope",
    "@scope/",
    "UPPER",
    ".hidden",
    "-g",
    "a\nb",
    "a\u0000b",
    `a${"b".repeat(250)}`,
    "",
  ])("by the name %j is refused before npm runs", async (packageName) => {
    const askedBefore = registry.asked.length;
    const answer = await install(packageName);
    expect([400, 422]).toContain(answer.status);
    expect(registry.asked.length).toBe(askedBefore);
  });

  it("is refused if its archive differs from the registry's checksum", async () => {
    const directory = externalAdapterPackage(folder, "mismatch", externalAdapterCode({ type: "mismatch" }));
    registry.publish(directory, { integrity: `sha512-${Buffer.alloc(64).toString("base64")}` });
    expect(await install("mismatch")).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/npm could not install it:.*integrity/i) },
    });
  });

  it.each([
    ["git", "git+file:///nowhere"],
    ["a folder", "file:/etc"],
    ["an address", "TARBALL"],
  ])("is refused if it depends on %s", async (what, spec) => {
    const type = `depends_on_${what.replaceAll(" ", "_")}`;
    publish("dependency", "1.0.0", sourceReporting(""));
    const where = spec === "TARBALL" ? `${registry.url}/-/dependency-1.0.0.tgz` : spec;
    publish(type, "1.0.0", sourceReporting(""), { dependencies: { dependency: where } });
    const answer = await install(type);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatch(/come from a package registry|npm could not install/);
    expect(packages()).toEqual([]);
  });

  it("brings its dependencies from the registry", async () => {
    const directory = externalAdapterPackage(folder, "helper", "export default 'helped';");
    registry.publish(directory);
    const code = externalAdapterCode({
      type: "helped",
      top: 'import help from "helper";',
      execute: "return { exitCode: 0, timedOut: false, summary: help };",
    });
    registry.publish(
      externalAdapterPackage(folder, "helped", code, {
        dependencies: { helper: "^1.0.0" },
        peerDependencies: { boardroom: "*" },
        devDependencies: { "nobody-has-it": "1" },
      }),
    );
    expect((await install("helped")).status).toBe(201);
    expect(await ended(await begin("helped"))).toMatchObject({ summary: "helped" });
    await service.request("DELETE", "/api/adapters/helped");
  });
});

describe("an archive with hostile paths", () => {
  const secret = () => join(service.dataDir, "board-token");
  const good = (name: string): TarEntry[] => [
    {
      path: "package/package.json",
      text: JSON.stringify({ name, version: "1.0.0", type: "module", exports: "./index.js" }),
    },
    { path: "package/index.js", text: externalAdapterCode({ type: name }) },
  ];
  it.each<[string, (target: string) => TarEntry[]]>([
    ["a path upwards", () => [{ path: "package/../../../../../escaped", text: "out" }]],
    ["an absolute path", (target) => [{ path: target, text: "out" }]],
    ["a hard link outwards", () => [{ path: "package/ui.cjs", kind: "1", link: secret() }]],
    ["a symbolic link outwards", () => [{ path: "package/ui.cjs", kind: "2", link: secret() }]],
    [
      "a file through a link",
      (target) => [
        { path: "package/out", kind: "2", link: join(target, "..") },
        { path: "package/out/escaped", text: "out" },
      ],
    ],
    ["a device", () => [{ path: "package/ui.cjs", kind: "3" }]],
  ])("%s brings nothing from outside and writes nothing there", async (what, entries) => {
    const name = `tar_${what.replaceAll(" ", "_")}`;
    const target = join(folder, "outside", "escaped");
    mkdirSync(join(folder, "outside"), { recursive: true });
    const directory = externalAdapterPackage(folder, name, externalAdapterCode({ type: name }), {
      exports: { ".": "./index.js", "./ui-parser": "./ui.cjs" },
    });
    registry.publish(directory, { archive: tarball([...good(name), ...entries(target)]) });
    const answer = await install(name);
    expect(existsSync(target)).toBe(false);
    expect(existsSync(join(service.dataDir, "escaped"))).toBe(false);
    expect(existsSync(join(service.dataDir, "adapters", "escaped"))).toBe(false);
    const parser = await service.request("GET", `/api/adapters/${name}/ui-parser.js`);
    expect(String(parser.body)).not.toContain("brd_");
    if (answer.status === 201)
      expect((await service.request("DELETE", `/api/adapters/${name}`)).status).toBe(200);
    else expect(answer.status).toBe(422);
  });
});
