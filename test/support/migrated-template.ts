import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import postgres from "postgres";

/** A database with the current schema and no rows, for cloning. */
export interface MigratedTemplate {
  readonly url: string;
  readonly template: string;
  /** Holds the migrated cluster of the service's own engine and its password; missing where another server is used. */
  readonly prepared?: string | undefined;
}

const adapter = join(import.meta.dirname, "../../adapters-infra/postgres");
/** An arbitrary lock number that no other code uses. */
const templateLock = 7_203_451;

/** Changes whenever the schema may change. */
export const migrationsKey = async (): Promise<string> => {
  const hash = createHash("sha256");
  const migrations = join(adapter, "migrations");
  const files = [
    join(adapter, "migrate.ts"),
    ...(await readdir(migrations)).sort().map((name) => join(migrations, name)),
  ];
  for (const file of files) hash.update(`${file}\n`).update(await readFile(file).catch(() => ""));
  return hash.digest("hex").slice(0, 16);
};

/** Finds or creates the template on a server; several test runs may do so at once. */
export const ensureTemplate = async (url: string, key: string): Promise<MigratedTemplate> => {
  const template = `boardroom_template_${key}`;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const exists = async () => (await sql`select from pg_database where datname = ${template}`).length > 0;
    if (await exists()) return { url, template };
    await sql`select pg_advisory_lock(${templateLock})`;
    if (await exists()) return { url, template };
    // Created under a temporary name: a template is complete or absent.
    const growing = `${template}_growing`;
    await sql`drop database if exists ${sql(growing)} with (force)`;
    await sql`create database ${sql(growing)}`;
    await migrateDatabase(databaseUrl(url, growing));
    await sql`alter database ${sql(growing)} rename to ${sql(template)}`;
    return { url, template };
  } finally {
    await sql.end();
  }
};

export const databaseUrl = (server: string, database: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

/** Loaded only for a migration: most runs find the template. */
export const migrateDatabase = async (url: string): Promise<void> => {
  const { migrate } = await import("../../adapters-infra/postgres/migrate.ts");
  await Effect.runPromise(migrate(url));
};
