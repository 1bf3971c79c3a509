import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { DataKeyStore, WrappedKey } from "../../../ports/stores/data-key-store.ts";
import type { Statements } from "../transaction.ts";

export const dataKeyStore = (tx: Statements): DataKeyStore => ({
  find: (companyId) => tx.first(findKey(companyId)),
  holdMasterKey: () => tx.first(holdMasterKey).pipe(Effect.map((row) => row!.fingerprint)),
  insert: (companyId, key) =>
    tx.write(insertKey(companyId, key)).pipe(
      Effect.andThen(tx.first(findKey(companyId))),
      Effect.map((stored) => stored!),
    ),
  lockAll: () =>
    tx
      .first(lockMasterKey)
      .pipe(
        Effect.flatMap((row) =>
          tx.read(lockKeys).pipe(Effect.map((keys) => ({ masterKey: row!.fingerprint, keys }))),
        ),
      ),
  rewrap: (companyId, key) => tx.write(rewrapKey(companyId, key)),
  setMasterKey: (fingerprint) => tx.write(setMasterKey(fingerprint)),
});

const findKey = (companyId: CompanyId | null) => (sql: Sql) =>
  sql<WrappedKey[]>`
  select  wrapped, wrapped_by
  from    data_keys
  where   company_id is not distinct from ${companyId}::uuid
`;

const holdMasterKey = (sql: Sql) => sql<{ fingerprint: string }[]>`
  select  value #>> '{}' as fingerprint
  from    instance_settings
  where   name = 'master_key_fingerprint'
  for     share
`;

const lockMasterKey = (sql: Sql) => sql<{ fingerprint: string }[]>`
  select  value #>> '{}' as fingerprint
  from    instance_settings
  where   name = 'master_key_fingerprint'
  for     update
`;

const insertKey =
  (companyId: CompanyId | null, { wrapped, wrappedBy }: WrappedKey) =>
  (sql: Sql) =>
    sql`
  insert into data_keys (company_id, wrapped, wrapped_by, created_at)
  values (${companyId}, ${wrapped}, ${wrappedBy}, now())
  on conflict (company_id) do nothing
`;

const lockKeys = (sql: Sql) => sql<(WrappedKey & { companyId: CompanyId | null })[]>`
  select    company_id, wrapped, wrapped_by
  from      data_keys
  order by  company_id
  for       update
`;

const rewrapKey =
  (companyId: CompanyId | null, { wrapped, wrappedBy }: WrappedKey) =>
  (sql: Sql) =>
    sql`
  update  data_keys
  set     wrapped    = ${wrapped},
          wrapped_by = ${wrappedBy}
  where   company_id is not distinct from ${companyId}::uuid
`;

const setMasterKey = (fingerprint: string) => (sql: Sql) =>
  sql`
  update  instance_settings
  set     value = to_jsonb(${fingerprint}::text)
  where   name = 'master_key_fingerprint'
`;
