import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSnapshot } from "../../adapters-infra/postgres/backup/read-snapshot.ts";
import { pace } from "../../core/model/backups/backup-kind.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});

afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

const hasLiveService = async (): Promise<boolean> => {
  let found = false;
  await readSnapshot(
    database.url,
    async (snapshot) => {
      found = snapshot.hasLiveService;
    },
    async () => {},
  );
  return found;
};

const serviceUntil = (later: string) => sql`
  insert into services (id, host, pid, role, started_at, lease_until)
  values (gen_random_uuid(), 'here', 1, 'all', now(), now() + ${later}::interval)
`;

describe("A backup", () => {
  it("knows whether a service works on its database", async () => {
    expect(await hasLiveService()).toBe(false);
    await serviceUntil("-1 second");
    expect(await hasLiveService()).toBe(false);
    await serviceUntil("1 hour");
    expect(await hasLiveService()).toBe(true);
  });

  it("next to a service rests four times as long as it works, a scheduled one nine times", () => {
    expect(pace("manual", true)(100)).toBe(400);
    expect(pace("scheduled", true)(100)).toBe(900);
  });

  it("works at full speed where no service is, and before a migration", () => {
    expect(pace("manual", false)(100)).toBe(0);
    expect(pace("scheduled", false)(100)).toBe(0);
    expect(pace("before_migration", true)(100)).toBe(0);
  });

  it("rests for small pieces together", () => {
    const restAfter = pace("manual", true);
    expect([restAfter(20), restAfter(20), restAfter(20), restAfter(20)]).toEqual([0, 0, 240, 0]);
  });
});
