import { describe, expect, it } from "vitest";
import { readMigrations } from "../../adapters-infra/postgres/migrate.ts";

/** Changes of a known table that an older version of the service does not survive. */
const taking: readonly (readonly [words: string, pattern: RegExp])[] = [
  ["drops what it may use", /\bdrop\s+(?:table|column|type|view|function)\b/],
  ["renames what it may use", /\brename\b/],
  ["changes the type of a column", /\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/],
  ["requires a value that it may not write", /\bset\s+not\s+null\b/],
  ["takes a default away that it may rely on", /\bdrop\s+default\b/],
];

interface Table {
  readonly name: string;
  readonly change: string;
}

const withoutText = (sql: string): string =>
  sql
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();

const changedTables = (sql: string): readonly Table[] =>
  [...sql.matchAll(/\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?(?:public\.)?(\w+)([^;]*)/g)].map(
    ([, name = "", change = ""]) => ({ name, change }),
  );

/** Returns why a migration does not only add; empty where it does. */
const takesAway = (text: string): readonly string[] => {
  const sql = withoutText(text);
  const made = new Set(
    [...sql.matchAll(/\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?(?:public\.)?(\w+)/g)].map(
      ([, name]) => name,
    ),
  );
  const known = changedTables(sql).filter(({ name }) => !made.has(name));
  const dropped = new Set(
    [...sql.matchAll(/\bdrop\s+constraint\s+(?:if\s+exists\s+)?(\w+)/g)].map(([, name]) => name),
  );
  const elsewhere = sql.replaceAll(/\balter\s+table[^;]*/g, "");
  return [
    ...taking.flatMap(([words, pattern]) =>
      pattern.test(elsewhere) || known.some(({ change }) => pattern.test(change)) ? [words] : [],
    ),
    ...known.flatMap(({ name, change }) =>
      // Commas within parentheses do not end an addition.
      (change.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "()").match(/\badd\s+[^,]*/g) ?? []).flatMap(
        (added) => {
          const constraint = /^add\s+constraint\s+(\w+)/.exec(added)?.[1];
          if (constraint !== undefined)
            return dropped.has(constraint) ? [] : [`adds a constraint to ${name} that its writes may break`];
          return /\bnot\s+null\b/.test(added) && !/\bdefault\b|\bgenerated\b/.test(added)
            ? [`adds a column to ${name} that it does not fill`]
            : [];
        },
      ),
    ),
  ];
};

describe("a migration", async () => {
  const migrations = (await readMigrations()).slice(1);

  it.each(migrations.map((migration) => [migration.name, migration] as const))(
    "only adds, or names the version that already does without what it takes away: %s",
    (_name, { text, servesFrom, version }) => {
      if (servesFrom === 0) expect(takesAway(text)).toEqual([]);
      // Two steps: what one version stops using, a later one takes away.
      else expect(servesFrom).toBeLessThan(version);
    },
  );

  it.each([
    "drop table old_things",
    "alter table runs drop column context",
    "alter table runs rename to heartbeats",
    "alter table runs alter column context type text",
    "alter table runs alter context set not null",
    "alter table runs alter column context drop default",
    "alter table runs add column size integer not null",
    "alter table runs add column size integer default 0, add column wide numeric(3, 1) not null",
    "alter table runs add constraint runs_small check (context is null)",
  ])("is found to take something away: %s", (text) => {
    expect(takesAway(text)).not.toEqual([]);
  });

  it.each([
    "create table things (id uuid primary key, name text not null); alter table things add constraint named check (name <> '')",
    "alter table runs add column size integer not null default 0, add column note text check (note <> 'drop table')",
    "create index runs_size on runs (size); drop index runs_old",
    "alter table runs drop constraint runs_kind, add constraint runs_kind check (kind in ('a', 'b', 'c'))",
    "-- drop table is not what this does\ncreate or replace function f() returns int language sql as $$ select 1 $$",
  ])("is found only to add: %s", (text) => {
    expect(takesAway(text)).toEqual([]);
  });
});
