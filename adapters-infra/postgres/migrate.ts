import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Sql } from "postgres";
import { isDeadlock } from "./database-failure.ts";
import { unboundedConnection } from "./unbounded-connection.ts";

/** A later version of the service created the database. */
export class DatabaseTooNew extends Data.TaggedError("DatabaseTooNew")<{
  readonly message: string;
  readonly databaseVersion: number;
  readonly codeVersion: number;
}> {}

/** An applied migration differs from its file. */
export class MigrationChanged extends Data.TaggedError("MigrationChanged")<{
  readonly message: string;
  readonly version: number;
}> {}

/** A build before the baseline of the present schema created the database. */
export class DatabaseTooOld extends Data.TaggedError("DatabaseTooOld")<{ readonly message: string }> {}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /**
   * The schema version that a service must know at least to serve a database with this migration; 0: any, because it only
   * adds. Its first line says so where it takes something away: `-- serves from: 050`.
   */
  readonly servesFrom: number;
}

/**
 * Next to this file in the source, next to the bundle in `dist`. The schema begins with the files of the folder
 * `000-baseline`, which are one migration of version 0; files with higher numbers change it. A test sets another folder.
 */
export const shipped = { folder: new URL("./migrations/", import.meta.url) };

/** An arbitrary number, unique among the locks of this database. */
export const migrationLock = 7_203_450;

/** A running service locks tables one by one, as a migration does: one of the two is then aborted. */
const attempts = 20;

export interface MigrateOptions {
  /** Reports in sentences what takes time: an upgrade of a used database, or a wait for another process. */
  readonly say?: (sentence: string) => void;
}

/**
 * Upgrades the schema to this version of the service; does nothing where it is current. One of several processes does
 * the work and the others wait. Each migration applies completely or not at all. Takes a pool or a URL; works on its
 * own connection.
 */
export const migrate = (
  database: Sql | string,
  { say = () => {} }: MigrateOptions = {},
): Effect.Effect<void, DatabaseTooNew | DatabaseTooOld | MigrationChanged> =>
  Effect.acquireUseRelease(
    Effect.sync(() => unboundedConnection(database)),
    (sql) => bringUp(sql, say),
    // A process that must stop does not wait for a statement that may take minutes.
    (sql, exit) => Effect.promise(() => sql.end({ timeout: Exit.hasInterrupts(exit) ? 0 : 5 })),
  );

/** How many migrations a used database lacks; 0 for an empty one, and for one that `migrate` refuses. */
export const dueMigrations = async (url: string): Promise<number> => {
  const sql = unboundedConnection(url);
  try {
    const [known] = await sql<{ exists: boolean }[]>`
      select to_regclass('public.schema_migrations') is not null as exists
    `;
    if (known?.exists !== true) return 0;
    const applied = await sql<Applied[]>`select version, checksum from schema_migrations order by version`;
    const migrations = await readMigrations();
    return applied.length === 0 || compare(migrations, applied) !== null
      ? 0
      : migrations.length - applied.length;
  } finally {
    await sql.end({ timeout: 5 });
  }
};

const bringUp = Effect.fnUntraced(function* (sql: Sql, say: (sentence: string) => void) {
  const migrations = yield* Effect.promise(() => readMigrations());
  const applied = yield* Effect.promise(() => appliedTo(sql, say));
  const refused = compare(migrations, applied);
  if (refused !== null) return yield* Effect.fail(refused);
  const codeVersion = migrations.at(-1)?.version ?? 0;
  const databaseVersion = applied.at(-1)?.version ?? 0;
  if (databaseVersion > codeVersion)
    say(
      `The database is at schema version ${databaseVersion}, of a later version of the service; this one knows version ` +
        `${codeVersion}, and serves together with it, because what was changed since only adds to the schema.`,
    );
  const done = new Set(applied.map(({ version }) => version));
  const due = migrations.filter(({ version }) => !done.has(version));
  // An empty database needs no message.
  const tell = done.size === 0 ? () => {} : say;
  for (const [at, migration] of due.entries()) {
    tell(
      `The database is brought up to this version of the service: ${migration.name} (${at + 1} of ${due.length}). ` +
        "That may take minutes in a large database; an interruption loses nothing.",
    );
    yield* apply(sql, migration);
  }
  if (due.length > 0) tell(`The database is at schema version ${migrations.at(-1)?.version}.`);
});

export interface Applied {
  readonly version: number;
  readonly checksum: string;
  /** As a migration says; null or absent: one that a version made which did not say so. */
  readonly servesFrom?: number | null;
}

/** Takes the lock of migrations, which the connection keeps, and returns what has been applied. */
const appliedTo = async (sql: Sql, say: (sentence: string) => void): Promise<readonly Applied[]> => {
  const [lock] = await sql<{ isOurs: boolean }[]>`select pg_try_advisory_lock(${migrationLock}) as is_ours`;
  if (!lock?.isOurs) {
    say("Another service is migrating the database; this one waits for it.");
    await sql`select pg_advisory_lock(${migrationLock})`;
  }
  await createMigrationsTable(sql);
  return sql<Applied[]>`
    select    version, checksum, serves_from
    from      schema_migrations
    order by  version
  `;
};

export const createMigrationsTable = async (sql: Sql): Promise<void> => {
  await sql`
    create table if not exists schema_migrations (
      version      integer primary key,
      name         text not null,
      checksum     text not null,
      applied_at   timestamptz(3) not null default now(),
      serves_from  integer
    )
  `;
  const [known] = await sql`
    select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'serves_from'
  `;
  // Of a version that refused every later schema.
  if (known === undefined) await sql`alter table schema_migrations add column serves_from integer`;
};

const apply = (sql: Sql, migration: Migration): Effect.Effect<void> =>
  Effect.tryPromise({
    try: () => sql.begin((transaction) => applyIn(transaction as unknown as Sql, migration)),
    catch: (error) => error,
  }).pipe(Effect.retry({ while: isDeadlock, times: attempts - 1 }), Effect.orDie, Effect.asVoid);

/** Applies a migration in an open transaction. */
export const applyIn = async (
  transaction: Sql,
  { version, name, checksum, text, servesFrom }: Migration,
): Promise<void> => {
  await transaction.unsafe(text);
  await transaction`
    insert into schema_migrations (version, name, checksum, serves_from)
    values (${version}, ${name}, ${checksum}, ${servesFrom})
  `;
};

/** Whether they are of a build whose schema did not begin with the baseline. */
export const isBeforeBaseline = (applied: readonly Pick<Applied, "version">[]): boolean =>
  applied.length > 0 && applied.every(({ version }) => version !== 0);

/**
 * Returns why a database with those migrations is not used; null where it is used. A later schema is used where all that
 * came since serves this version too: services of two versions then work on one database while one replaces the other.
 */
export const compare = (
  migrations: readonly Migration[],
  applied: readonly Applied[],
): DatabaseTooNew | DatabaseTooOld | MigrationChanged | null => {
  if (isBeforeBaseline(applied))
    return new DatabaseTooOld({
      message:
        "The database was made by an earlier build of the service, and its schema cannot be upgraded. Use it with that build, " +
        "or start this version with a new data directory or an empty database. It imports companies that `boardroom companies " +
        "export` of that build has written as templates.",
    });
  const codeVersion = migrations.at(-1)?.version ?? 0;
  const databaseVersion = applied.at(-1)?.version ?? 0;
  const later = applied.filter(({ version }) => version > codeVersion);
  if (later.some(({ servesFrom = null }) => servesFrom === null || servesFrom > codeVersion))
    return new DatabaseTooNew({
      databaseVersion,
      codeVersion,
      message:
        `The database is at schema version ${databaseVersion}, and this version of the service knows ` +
        `version ${codeVersion} at most. Start the version that last used the database, or a later one.`,
    });
  for (const { version, checksum } of applied) {
    if (version > codeVersion) continue;
    const migration = migrations.find((candidate) => candidate.version === version);
    if (migration?.checksum !== checksum)
      return new MigrationChanged({
        version,
        message:
          `The database has been through another text of migration ${version} than ` +
          `${migration === undefined ? "any this version of the service has" : `${migration.name} has now`}. ` +
          "It was not made by a released version of the service.",
      });
  }
  return null;
};

export const readMigrations = async (): Promise<readonly Migration[]> => {
  const { folder } = shipped;
  const names = (await readdir(folder)).filter((name) => /^\d+-./.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readText(new URL(name, folder));
      const checksum = createHash("sha256").update(text).digest("hex");
      const servesFrom = Number(/^-- serves from: (\d+)$/m.exec(text.split("\n", 1)[0] ?? "")?.[1] ?? 0);
      return { version: Number.parseInt(name, 10), name, text, checksum, servesFrom };
    }),
  );
};

/** Of a file, or of all files of a folder in the order of their names. */
const readText = async (path: URL): Promise<string> => {
  if (path.pathname.endsWith(".sql")) return (await readFile(path, "utf8")).replaceAll("\r\n", "\n");
  const names = (await readdir(path)).sort();
  return (await Promise.all(names.map((name) => readText(new URL(`${path.href}/${name}`))))).join("\n");
};
