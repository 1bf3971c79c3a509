import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aesCipher } from "../../adapters-infra/local/aes-cipher.ts";
import { type KeyRing, loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { SealedFor, SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { id } from "../support/nouns.ts";

const value = Redacted.make("correct horse battery staple");

describe("a sealed value", () => {
  let database: TestDatabase;
  let sql: Sql;
  let transactor: Transactor;
  let directory: string;
  let ring: KeyRing;
  let cipher: SecretCipher;
  const acme = id<CompanyId>(0xc0);
  const other = id<CompanyId>(0xc1);
  const owner: SealedFor = { companyId: acme, kind: "secret", id: "s", version: 1 };

  const seal = (of: SealedFor, by = cipher) =>
    Effect.runPromise(transactor.transact(({ dataKeys }) => by.seal(dataKeys, of, value)));
  const open = (of: SealedFor, sealed: Uint8Array, by = cipher) =>
    Effect.runPromise(
      transactor
        .transact(({ dataKeys }) => by.open(dataKeys, of, sealed))
        .pipe(
          Effect.map(Redacted.value),
          Effect.catch(({ reason }) => Effect.succeed({ reason })),
        ),
    );

  beforeAll(async () => {
    database = await createDatabase();
    sql = openDatabase(database.url, { max: 4 });
    transactor = postgresAdapters(sql, systemClock).transactor;
    directory = await mkdtemp(join(tmpdir(), "boardroom-keys-"));
    ring = await Effect.runPromise(
      loadMasterKey({ fromEnvironment: null, path: join(directory, "master.key"), expected: null }),
    );
    await Effect.runPromise(recordFingerprint(sql, ring.current.fingerprint));
    cipher = aesCipher(ring);
    for (const company of [acme, other])
      await sql`
        insert into companies (id, name, status, issue_prefix, budget_monthly_cents, created_at, updated_at)
        values (${company}, 'C', 'active', ${company.slice(-2).toUpperCase()}, 0, now(), now())
      `;
  });
  afterAll(async () => {
    await sql?.end();
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  });

  it("opens for its owner, and has a different ciphertext each time", async () => {
    const [first, second] = [await seal(owner), await seal(owner)];
    expect(Buffer.from(first)).not.toEqual(Buffer.from(second));
    expect(Buffer.from(first).includes("correct horse")).toBe(false);
    expect(await open(owner, first)).toBe("correct horse battery staple");
    expect(await open(owner, second)).toBe("correct horse battery staple");
  });

  it.each([
    ["another company", { companyId: id<CompanyId>(0xc1) }],
    ["another kind of thing", { kind: "routine_trigger" }],
    ["another secret", { id: "t" }],
    ["another version", { version: 2 }],
  ])("does not open for %s", async (_, change) => {
    const sealed = await seal(owner);
    await seal({ ...owner, companyId: other });
    expect(await open({ ...owner, ...change }, sealed)).toEqual({ reason: "damaged" });
  });

  it("does not open if any byte of it was changed or cut", async () => {
    const sealed = await seal(owner);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(await open(owner, changed)).toEqual({ reason: "damaged" });
    }
    expect(await open(owner, sealed.subarray(0, 20))).toEqual({ reason: "damaged" });
  });

  it("does not open if a data key moves to another company, or without its master key", async () => {
    const sealed = await seal(owner);
    await seal({ ...owner, companyId: other });
    const [before] = await sql`select wrapped from data_keys where company_id = ${other}`;
    await sql`
      update data_keys set wrapped = (select wrapped from data_keys where company_id = ${acme})
      where company_id = ${other}
    `;
    expect(await open({ ...owner, companyId: other }, sealed)).toEqual({ reason: "damaged" });
    await sql`update data_keys set wrapped = ${before!.wrapped} where company_id = ${other}`;
    const otherKeys = await Effect.runPromise(
      loadMasterKey({ fromEnvironment: randomBytes(32).toString("hex"), path: "/nowhere", expected: null }),
    );
    expect(await open(owner, sealed, aesCipher(otherKeys))).toEqual({ reason: "master_key_unknown" });
  });

  it("has one data key per company, however many first values are stored at once", async () => {
    await sql`delete from data_keys where company_id = ${other}`;
    const theirs = { ...owner, companyId: other };
    const sealed = await Promise.all(Array.from({ length: 8 }, () => seal(theirs)));
    for (const one of sealed) expect(await open(theirs, one)).toBe("correct horse battery staple");
    expect((await sql`select from data_keys where company_id = ${other}`).length).toBe(1);
  });

  it("finds a second key next to the current one, and adopts it at the next start", async () => {
    const path = join(directory, "master.key");
    const before = await readFile(path, "utf8");
    const next = ring.next()!;
    expect(await readdir(directory)).toContain(`master.key.${next.fingerprint}`);
    const again = await Effect.runPromise(
      loadMasterKey({ fromEnvironment: null, path, expected: ring.current.fingerprint }),
    );
    expect(await readFile(path, "utf8")).toBe(before);
    expect(again.find(next.fingerprint)?.fingerprint).toBe(next.fingerprint);
    const after = await Effect.runPromise(
      loadMasterKey({ fromEnvironment: null, path, expected: next.fingerprint }),
    );
    expect(after.current.fingerprint).toBe(next.fingerprint);
    expect(await readdir(directory)).toEqual(["master.key"]);
    await writeFile(path, before);
  });
});
