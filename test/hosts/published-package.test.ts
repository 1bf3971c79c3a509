import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { startSecretsManager, variablesOf } from "../support/secrets-manager.ts";
import { program, serveProgram } from "../support/service-program.ts";

const root = join(import.meta.dirname, "../..");
let directory: string;
let database: TestDatabase;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "boardroom-published-"));
  database = await createDatabase();
});
afterAll(async () => {
  await database?.drop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

describe("The published package", () => {
  it("serves without another installed package, the provider's SDK included", async () => {
    const dist = join(directory, "alone", "dist");
    await cp(dirname(program), dist, { recursive: true });
    await cp(join(root, "package.json"), join(directory, "alone", "package.json"));
    const manager = await startSecretsManager();
    const service = await serveProgram(
      join(directory, "data"),
      { DATABASE_URL: database.url, ...variablesOf(manager) },
      [],
      { program: join(dist, "boardroom.js") },
    );
    try {
      const board = await service.board();
      const { id: companyId } = await board.companies.create({ name: "Alone" });
      const { id: vaultId } = await board.vaults.create({
        companyId,
        provider: "cloud_a_secrets_manager",
        displayName: "Cloud",
        config: { region: "eu-central-1" },
      });
      expect(await board.vaults.checkHealth({ vaultId })).toMatchObject({ status: "ready" });
    } finally {
      await service.stop();
      await manager.stop();
    }
  });

  it("depends on the database's binaries and esbuild, and on nothing else", async () => {
    const copy = join(directory, "manifest");
    await mkdir(join(copy, "node_modules"), { recursive: true });
    await cp(join(root, "scripts/publish-manifest.mjs"), join(copy, "scripts/publish-manifest.mjs"));
    await cp(join(root, "package.json"), join(copy, "package.json"));
    const script = (...args: string[]) =>
      execFileSync(process.execPath, [join(copy, "scripts/publish-manifest.mjs"), ...args]);
    const manifest = () => readFile(join(copy, "package.json"), "utf8");
    const before = await manifest();

    script();
    const published = JSON.parse(await manifest());
    expect(Object.keys(published.dependencies).sort()).toEqual(["esbuild"]);
    expect(Object.keys(published.optionalDependencies)).toHaveLength(4);
    expect(published).not.toHaveProperty("overrides");
    expect(published).not.toHaveProperty("scripts");

    script("--restore");
    expect(await manifest()).toBe(before);
  });
});
