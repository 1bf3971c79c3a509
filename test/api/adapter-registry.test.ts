import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { externalAdapterCode, externalAdapterPackage, temporaryFolder } from "../support/external-adapter.ts";

const folder = temporaryFolder();
const services: ApiService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly type: string | null;
  readonly status: string;
  readonly loaded: boolean;
  readonly source: string | null;
  readonly error: string | null;
  readonly localPath: string | null;
}

/** Starts a service with that text as its registry file. */
const start = async (text: string) => {
  const dataDir = mkdtempSync(join(tmpdir(), "boardroom-registry-"));
  const path = join(dataDir, "adapters", "registry.json");
  mkdirSync(join(dataDir, "adapters"), { recursive: true });
  writeFileSync(path, text);
  const service = await startApi({ env: { SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: "silent" } });
  services.push(service);
  const rows = async (): Promise<readonly Row[]> =>
    (await service.get("/api/adapters")).body.filter(({ source }: Row) => source !== "builtin");
  const loadedRows = () => eventually(rows, (all) => all.every(({ status }) => status !== "loading"));
  const written = () => JSON.parse(readFileSync(path, "utf8"));
  const brokenFiles = () =>
    readdirSync(join(dataDir, "adapters")).filter((name) => name.includes(".broken-"));
  return { service, dataDir, path, rows, loadedRows, written, brokenFiles };
};

const aPackage = (type: string) => externalAdapterPackage(folder, type, externalAdapterCode({ type }));

describe("a registry file", () => {
  it("that is not valid JSON is used as far as possible, and kept by the next write", async () => {
    const one = { type: "one", localPath: aPackage("one") };
    const two = { type: "two", localPath: aPackage("two") };
    const text = `// by hand\n[ ${JSON.stringify(one)}\n ${JSON.stringify(two)}, { "type": "cut`;
    const { service, loadedRows, written, brokenFiles, path, dataDir } = await start(text);
    const rows = await loadedRows();
    expect(rows.filter(({ loaded }) => loaded).map(({ type }) => type)).toEqual(["one", "two"]);
    expect(rows.filter(({ loaded }) => !loaded)).toMatchObject([
      { type: null, error: expect.stringMatching(/must hold a JSON array. Of it, 2 entries could be read/) },
    ]);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect((await service.post("/api/adapters", { localPath: aPackage("three") })).status).toBe(201);
    expect(written().map(({ type }: Row) => type)).toEqual(["one", "two", "three"]);
    const [brokenFile] = brokenFiles();
    expect(readFileSync(join(dataDir, "adapters", brokenFile!), "utf8")).toBe(text);
    expect((await loadedRows()).map(({ error }) => error)).toEqual([null, null, null]);
  });

  it("that is not a list is reported, and none of its content is lost", async () => {
    const { service, loadedRows, brokenFiles } = await start('"nothing"');
    expect(await loadedRows()).toMatchObject([
      { type: null, loaded: false, error: expect.stringMatching(/Nothing in it could be read/) },
    ]);
    expect((await service.post("/api/adapters", { localPath: aPackage("four") })).status).toBe(201);
    expect(brokenFiles()).toHaveLength(1);
  });

  it("has a problem that the inbox offers to reload only where there is an adapter to reload", async () => {
    const gone = { type: "gone", localPath: join(folder, "gone") };
    const { service, loadedRows } = await start(`[${JSON.stringify(gone)}, { "type": "cut`);
    await loadedRows();
    const entries = (await service.get("/api/inbox")).body;
    expect((await service.get("/api/inbox")).body).toEqual(entries);
    const actionsOf = (name: string) =>
      entries.find(({ id }: { id: string }) => id === `failed_adapter:${name}`)?.actions;
    expect([actionsOf("gone"), actionsOf("unknown")]).toEqual([["reload_adapter"], []]);
    expect((await service.post("/api/adapters/unknown/reload")).body.code).toBe("adapter_not_found");
  });

  it("keeps unknown content: lines, fields, duplicates, types of the service's own", async () => {
    const good = { type: "five", localPath: aPackage("five"), note: "by Ada", nested: { a: [1] } };
    const odd = [
      "a text",
      { type: "Not Snake", localPath: "/x" },
      { type: "six", packageName: "../../../etc" },
      { type: "five", localPath: "/elsewhere" },
      { type: "process", localPath: aPackage("process") },
      { type: "nine", localPath: "relative" },
      { type: "ten", packageName: "is-not-here" },
    ];
    const { service, loadedRows, written } = await start(JSON.stringify([good, ...odd]));
    const rows = await loadedRows();
    const problems = rows.filter(({ loaded }) => !loaded);
    const errorOf = (pick: (row: Row) => boolean) => problems.filter(pick).map(({ error }) => error);
    expect(rows.filter(({ loaded }) => loaded).map(({ type }) => type)).toEqual(["five"]);
    expect(errorOf(({ type }) => type === null)).toEqual([
      expect.stringMatching(/entry 2: /),
      expect.stringMatching(/entry 3: type must be snake_case/),
    ]);
    expect(errorOf(({ type }) => type === "five")).toEqual([expect.stringMatching(/entry 5: another entry/)]);
    expect(errorOf(({ type }) => type === "six")).toEqual([expect.stringMatching(/name of a package/)]);
    expect(errorOf(({ type }) => type === "nine")).toEqual([expect.stringMatching(/absolute/)]);
    expect(errorOf(({ type }) => type === "process")).toEqual([expect.stringMatching(/service's own/)]);
    expect(errorOf(({ type }) => type === "ten")).toEqual([expect.stringMatching(/not installed here/)]);

    expect((await service.post("/api/adapters/five/reload")).status).toBe(200);
    const localPath = good.localPath;
    // A relative path, as an operator may type it; the stored one is absolute.
    const asGiven = { localPath: relative(process.cwd(), localPath) };
    expect(await service.post("/api/adapters", asGiven)).toMatchObject({ status: 201, body: { localPath } });
    const [first, ...rest] = written();
    expect(first).toMatchObject({ ...good, version: "1.0.0" });
    expect(rest).toEqual(odd);
    expect((await service.delete("/api/adapters/process")).body.code).toBe("adapter_built_in");
    expect((await service.delete("/api/adapters/ten")).status).toBe(200);
    expect((await service.delete("/api/adapters/nine")).status).toBe(200);
    expect((await service.delete("/api/adapters/five")).status).toBe(200);
    expect(written()).toEqual([odd[0], odd[1], odd[2], odd[4]]);
    expect((await service.delete("/api/adapters/five")).status).toBe(404);
  });

  it("that cannot be read is reported and never overwritten", async () => {
    const { service, path, loadedRows } = await start("[]");
    rmSync(path);
    mkdirSync(path);
    const answer = await service.post("/api/adapters", { localPath: aPackage("seven") });
    expect(answer).toMatchObject({ status: 422, body: { error: expect.stringMatching(/must be a file/) } });
    expect(await loadedRows()).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });
});

describe("a broken package", () => {
  it("is listed, shown, reloaded after a repair, and removed", async () => {
    const localPath = aPackage("broken");
    writeFileSync(join(localPath, "index.js"), "throw new Error('not\\u001b[31m yet');");
    const { service, loadedRows, written } = await start(JSON.stringify([{ type: "broken", localPath }]));
    const expected = {
      type: "broken",
      source: "local",
      status: "failed",
      loaded: false,
      localPath,
      error: "Its code cannot be loaded: not yet (index.js:1:7)",
    };
    expect(await loadedRows()).toMatchObject([expected]);
    const shown = await service.get("/api/adapters/broken");
    expect(shown).toMatchObject({
      status: 200,
      body: { ...expected, models: [], agentConfigurationDoc: "" },
    });
    expect((await service.get("/api/adapters/broken/ui-parser.js")).status).toBe(404);
    const still = await service.post("/api/adapters/broken/reload");
    expect(still).toMatchObject({ status: 422, body: { error: expected.error } });

    writeFileSync(join(localPath, "index.js"), externalAdapterCode({ type: "broken" }));
    expect((await service.post("/api/adapters/broken/reload")).status).toBe(200);
    expect((await service.get("/api/adapters/broken")).body).toMatchObject({ loaded: true, error: null });

    writeFileSync(join(localPath, "index.js"), externalAdapterCode({ type: "other" }));
    const other = await service.post("/api/adapters/broken/reload");
    expect(other.body.error).toMatch(
      /installed as broken, and is of type other now.*The code loaded before stays in use/,
    );
    expect((await service.get("/api/adapters/broken")).body).toMatchObject({
      loaded: true,
      error: expect.stringMatching(/is of type other now/),
    });
    rmSync(localPath, { recursive: true });
    expect((await service.post("/api/adapters/broken/reload")).body.error).toMatch(/does not exist/);
    expect((await service.delete("/api/adapters/broken")).status).toBe(200);
    expect(written()).toEqual([]);
    expect(await loadedRows()).toEqual([]);
  });

  it("is shown to others without the paths of this machine", async () => {
    const { service, loadedRows } = await start('[{"type":"away","localPath":"/no/where"}]');
    await loadedRows();
    const company = await service.company();
    const { token } = await service.user(company.id, "viewer");
    const [row] = (await service.get("/api/adapters", { token })).body.filter(
      ({ type }: Row) => type === "away",
    );
    expect(row).toMatchObject({
      loaded: false,
      localPath: null,
      error: expect.stringMatching(/admins see why/),
    });
    expect((await service.get("/api/health", { token })).body).not.toHaveProperty("adaptersNotLoaded");
    expect((await service.get("/api/health")).body.adaptersNotLoaded).toEqual([
      {
        type: "away",
        status: "failed",
        error: expect.stringMatching(/no\/where|does not exist/),
        runsQueued: 0,
      },
    ]);
  });
});
