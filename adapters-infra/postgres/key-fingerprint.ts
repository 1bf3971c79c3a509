import * as Effect from "effect/Effect";
import type { Sql } from "postgres";

/** Returns the fingerprint of the master key that this database uses; null for a fresh one. */
export const expectedFingerprint = (sql: Sql): Effect.Effect<string | null> =>
  Effect.promise(() => expectedFingerprintIn(sql));

export const expectedFingerprintIn = async (sql: Sql): Promise<string | null> => {
  const [row] = await sql<{ value: string }[]>`
    select value
      from instance_settings
     where name = 'master_key_fingerprint'
  `;
  return row?.value ?? null;
};

/** Records it for a fresh database. Returns false where another service recorded another key first. */
export const recordFingerprint = (sql: Sql, fingerprint: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    await sql`
      insert into instance_settings (name, value)
      values ('master_key_fingerprint', ${sql.json(fingerprint)})
      on conflict (name) do nothing
    `;
    const [row] = await sql<{ same: boolean }[]>`
      select value = ${sql.json(fingerprint)} as same
        from instance_settings
       where name = 'master_key_fingerprint'
    `;
    return row?.same ?? false;
  });
