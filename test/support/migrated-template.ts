import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import postgres from "postgres";

/** A database with the current schema and no rows, for cloning. */
export interface MigratedTemplate {
  readonly url: string;
  readonly template: string;
  /** Tells apart what test runs leave on a server until their end. */
  readonly run: string;
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
    ...(await readdir(migrations, { recursive: true })).sort().map((name) => join(migrations, name)),
  ];
  for (const file of files) hash.update(`${file}\n`).update(await readFile(file).catch(() => ""));
  return hash.digest("hex").slice(0, 16);
};

/** Finds or creates the template on a server; several test runs may do so at once. */
export const ensureTemplate = async (url: string, key: string): Promise<MigratedTemplate> => {
  const template = `boardroom_template_${key}`;
  await grown(url, template, null, migrateDatabase);
  return { url, template, run: randomBytes(4).toString("hex") };
};

/** Finds or creates a template with rows for this test run, which `fill` adds to the migrated one; returns its name. */
export const filledTemplate = async (
  { url, template, run }: MigratedTemplate,
  name: string,
  fill: (sql: postgres.Sql) => Promise<void>,
): Promise<string> => {
  const filled = `${filledTemplatesOf(run)}${name}`;
  await grown(url, filled, template, async (growing) => {
    const sql = postgres(growing, { max: 1, onnotice: () => {} });
    try {
      await fill(sql);
    } finally {
      await sql.end();
    }
  });
  return filled;
};

const filledTemplatesOf = (run: string) => `filled_${run}_`;

/** Drops them from a server that goes on after the run. */
export const dropFilledTemplates = async ({ url, run }: MigratedTemplate): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const names = await sql<{ datname: string }[]>`
      select datname from pg_database where starts_with(datname, ${filledTemplatesOf(run)})`;
    for (const { datname } of names) await sql`drop database ${sql(datname)} with (force)`;
  } finally {
    await sql.end();
  }
};

/** Creates a database unless it is there; `grow` gets its URL. */
const grown = async (
  url: string,
  name: string,
  origin: string | null,
  grow: (url: string) => Promise<void>,
): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const exists = async () => (await sql`select from pg_database where datname = ${name}`).length > 0;
    if (await exists()) return;
    await sql`select pg_advisory_lock(${templateLock})`;
    if (await exists()) return;
    // Created under a temporary name: a template is complete or absent.
    const growing = `${name}_growing`;
    await sql`drop database if exists ${sql(growing)} with (force)`;
    await (origin === null
      ? sql`create database ${sql(growing)}`
      : sql`create database ${sql(growing)} template ${sql(origin)} strategy file_copy`);
    await grow(databaseUrl(url, growing));
    await sql`alter database ${sql(growing)} rename to ${sql(name)}`;
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
