import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { startSecretsManager, surroundingsOf } from "../support/secrets-manager.ts";
import { program, serveProgram } from "../support/service-program.ts";

const root = join(import.meta.dirname, "../..");
let place: string;
let database: TestDatabase;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "boardroom-published-"));
  database = await createDatabase();
});
afterAll(async () => {
  await database?.drop();
  if (place) await rm(place, { recursive: true, force: true });
});

describe("The published package", () => {
  it("serves without another installed package, the provider's SDK included", async () => {
    const dist = join(place, "alone", "dist");
    await cp(dirname(program), dist, { recursive: true });
    await cp(join(root, "package.json"), join(place, "alone", "package.json"));
    const manager = await startSecretsManager();
    const service = await serveProgram(
      join(place, "data"),
      { DATABASE_URL: database.url, ...surroundingsOf(manager) },
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

  it("depends on the database's binaries and the packages of its types, and on nothing else", async () => {
    const copy = join(place, "manifest");
    await mkdir(join(copy, "dist/types"), { recursive: true });
    await mkdir(join(copy, "node_modules"));
    await cp(join(root, "scripts/publish-manifest.mjs"), join(copy, "scripts/publish-manifest.mjs"));
    await cp(join(root, "package.json"), join(copy, "package.json"));
    await writeFile(
      join(copy, "dist/types/a.d.ts"),
      'import type * as Effect from "effect/Effect";\nexport declare const a: Effect.Effect<import("zod").ZodType>;\n',
    );
    const script = (...args: string[]) =>
      execFileSync(process.execPath, [join(copy, "scripts/publish-manifest.mjs"), ...args]);
    const manifest = () => readFile(join(copy, "package.json"), "utf8");
    const before = await manifest();

    script();
    const published = JSON.parse(await manifest());
    expect(Object.keys(published.dependencies).sort()).toEqual(["effect", "esbuild", "zod"]);
    expect(Object.keys(published.optionalDependencies)).toHaveLength(4);
    expect(published).not.toHaveProperty("overrides");
    expect(published).not.toHaveProperty("scripts");

    script("--restore");
    expect(await manifest()).toBe(before);
  });
});
