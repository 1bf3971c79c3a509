import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { endpoints, type NamedEndpoint } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { oneOfEach } from "../support/one-of-each.ts";

let api: ApiService;
let things: Readonly<Record<string, string>>;
let foreign: Readonly<Record<string, string>>;

beforeAll(async () => {
  api = await startApi();
  things = await oneOfEach(api);
  foreign = await oneOfEach(api);
  await countWrites();
});
afterAll(() => api?.stop());

/** Values that are nearly valid for some field, or invalid in a special way. */
const tempting = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    "",
    "x",
    "  ",
    0,
    -1,
    1,
    1e12,
    1e13,
    0.5,
    1e308,
    "\u0000",
    "\ud800",
    "x".repeat(501),
    "todo",
    "in_progress",
    "done",
    "cancelled",
    "blocked",
    "owner",
    "high",
    "company",
    "planned",
    "process",
    "2026-11-21",
    "2026-11-21T00:00:00Z",
    [],
    {},
    ["todo", "in_progress"],
    { env: { A: "b" } },
    { env: { A: "••••" } },
    { heartbeat: { enabled: true, intervalSec: 60 } },
    randomUUID(),
  ),
  // Known only after the setup.
  fc
    .constantFrom("agentId", "issueId", "projectId", "goalId", "userId", "secretId", "vaultId")
    .map((name) => ({ $thing: name })),
  fc.constantFrom("agentId", "issueId", "projectId", "goalId").map((name) => ({ $foreign: name })),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 40 }),
);

const filledIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeof value !== "object" || value === null) return value;
  if ("$thing" in value) return things[String(value.$thing)];
  if ("$foreign" in value) return foreign[String(value.$foreign)];
  return value;
};

/** Required fields, so that the validation reaches the others. */
const required: Readonly<Record<string, () => object>> = {
  "companies.create": () => ({ name: "C" }),
  "agents.create": () => ({ name: randomUUID(), adapterType: "process" }),
  "issues.create": () => ({ title: "I" }),
  "issues.checkout": () => ({ agentId: things.agentId, expectedStatuses: ["backlog", "todo"] }),
  "issues.review": () => ({ verdict: "approved", commits: [] }),
  "issues.setGates": () => ({ gates: [] }),
  "projects.setGates": () => ({ gates: [] }),
  "issues.merge": () => ({ method: "squash" }),
  "issues.comment": () => ({ body: "b" }),
  "issues.commentOnLines": () => ({ comments: [{ body: "b" }] }),
  "projects.create": () => ({ name: "P" }),
  "goals.create": () => ({ title: "G" }),
  "members.set": () => ({ role: "viewer" }),
  "users.create": () => ({ name: "U" }),
  "tokens.create": () => ({ name: "T" }),
};

/** Mostly valid bodies with one or two wrong fields, sometimes anything. */
const bodies = ({ name, endpoint }: NamedEndpoint): fc.Arbitrary<unknown> => {
  const fields = Object.keys((endpoint.body as z.ZodObject | null)?.shape ?? {});
  const value = fc.oneof(
    { weight: 5, arbitrary: tempting },
    { weight: 1, arbitrary: fc.array(tempting, { maxLength: 3 }) },
  );
  const some = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...fields, "more"), value), {
      selector: ([field]) => field,
      maxLength: 2,
    })
    .map((entries) => ({ ...required[name]?.(), ...Object.fromEntries(entries) }));
  return fc.oneof(
    { weight: 8, arbitrary: some },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), value, { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
};

/**
 * Counts the rows that committed transactions write from now on, in every table except records of the passing time. A row that
 * is written as it was does not count, nor does the last use of a credential.
 */
const countWrites = () =>
  api.sql.unsafe(`
    create table public.written_by_test (n bigserial);
    create function public.note_write() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'UPDATE' or to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at' then
        insert into public.written_by_test default values;
      end if;
      return null;
    end $$;
    do $$
    declare name text;
    begin
      for name in
        select  table_name
        from    information_schema.tables
        where   table_schema = 'public'
        and     table_type = 'BASE TABLE'
        and     table_name not in ('services', 'instance_settings', 'written_by_test')
      loop
        execute format(
          'create trigger zz_note_write after insert or update or delete on %I for each row execute function note_write()',
          name
        );
      end loop;
    end $$;
  `);

const writes = async (): Promise<number> => {
  const [row] = await api.sql`select count(*)::int as count from written_by_test`;
  return row!.count;
};

/** Calls that would delete the things or the credentials that other calls need. */
const endings = new Set([
  "companies.archive",
  "companies.pause",
  "agents.terminate",
  "session.delete",
  "tokens.revoke",
  "routines.fire",
]);

const changing = endpoints.filter(
  ({ name, endpoint }) => endpoint.method !== "GET" && endpoint.method !== "DELETE" && !endings.has(name),
);

describe("Any body", () => {
  it.each(changing)("$name never fails internally, and changes nothing when it refuses", async (named) => {
    const path = named.endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => things[name]!);
    let before = await writes();
    await fc.assert(
      fc.asyncProperty(bodies(named), async (drawn) => {
        const sent =
          typeof drawn === "object" && drawn !== null && !Array.isArray(drawn)
            ? Object.fromEntries(Object.entries(drawn).map(([field, value]) => [field, filledIn(value)]))
            : drawn;
        const { status, body } = await api.request(named.endpoint.method, path, { body: sent });
        const seen = `${status} ${JSON.stringify(body)}`;
        expect(status, seen).toBeLessThan(500);
        const after = await writes();
        if (status >= 300) expect(after, seen).toBe(before);
        before = after;
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 25), seed: 20261121, endOnFailure: true },
    );
  });
});
