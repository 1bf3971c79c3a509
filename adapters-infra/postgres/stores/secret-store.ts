import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { v7 } from "uuid";
import type { SecretBinding } from "../../../core/model/secrets/binding.ts";
import type { Existing } from "../../../core/model/secrets/import-candidate.ts";
import { type Secret, SecretNotFound, type SecretVersion } from "../../../core/model/secrets/secret.ts";
import type { AgentId, CompanyId, SecretId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Vault } from "../../../core/model/vaults/vault.ts";
import type { AccessEvent, Bound, BoundAgent, SecretStore } from "../../../ports/stores/secret-store.ts";
import { secretColumns, vaultColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const secretStore = (tx: Statements): SecretStore => ({
  find: (id) => tx.first(findSecret(id)).pipe(orFail(() => new SecretNotFound())),
  lock: (id) => tx.first(lockSecret(id)).pipe(orFail(() => new SecretNotFound())),
  insert: (secret) => tx.write(insertSecret(secret)),
  save: (secret) => tx.write(saveSecret(secret)),
  lockAlone: (id) => tx.first(lockSecretAlone(id)).pipe(orFail(() => new SecretNotFound())),
  bindingsTo: (id) => tx.read(bindingsTo(id)),
  delete: (id) =>
    Effect.gen(function* () {
      yield* tx.write(deleteAccess(id));
      yield* tx.write(deleteBindings(id));
      yield* tx.write(deleteVersions(id));
      yield* tx.write(deleteSecret(id));
    }),
  setVersionDisabled: (id, version, disabledAt) =>
    tx.read(setVersionDisabled(id, version, disabledAt)).pipe(Effect.map((rows) => rows.length > 0)),
  insertVersion: (version) => tx.write(insertVersion(version)),
  existing: (companyId, which) => tx.read(existing(companyId, which)),
  managedNames: (names) =>
    tx.read(managedNames(names)).pipe(Effect.map((rows) => new Set(rows.map(({ name }) => name)))),
  hold: (companyId, ids) =>
    tx
      .read(holdSecrets(companyId, ids))
      .pipe(Effect.map((rows) => new Map(rows.map((secret) => [secret.id, secret])))),
  setBindings: (companyId, agentId, bindings) =>
    Effect.gen(function* () {
      yield* tx.write(clearBindings(agentId));
      if (bindings.length > 0) yield* tx.write(insertBindings(companyId, agentId, bindings));
    }),
  bound: (companyId, bindings) =>
    Effect.gen(function* () {
      const ids = [...new Set(bindings.map(({ secretId }) => secretId))];
      const [secrets, versions, vaults] = yield* Effect.all(
        [
          tx.read(secretsOf(companyId, ids)),
          tx.read(versionsOf(companyId, bindings)),
          tx.read(vaultsOf(companyId, ids)),
        ],
        { concurrency: "unbounded" },
      );
      return bindings.map(({ secretId, version: pinned }): Bound | null => {
        const secret = secrets.find(({ id }) => id === secretId);
        if (secret === undefined) return null;
        const wanted = pinned ?? secret.latestVersion;
        const version = versions.find((one) => one.secretId === secretId && one.version === wanted) ?? null;
        const vault = vaults.find(({ id }) => id === version?.vaultId) ?? null;
        return { secret, version, vault };
      });
    }),
  recordAccess: (event) =>
    event.outcome === "failure"
      ? tx.write(insertAccess(event))
      : tx.write(insertAccess(event)).pipe(Effect.andThen(tx.write(recordResolved(event)))),
});

const findSecret = (id: SecretId) => (sql: Sql) =>
  sql<Secret[]>`
  select  ${secretColumns(sql)}
  from    secrets
  where   id = ${id}
`;

const lockSecret = (id: SecretId) => (sql: Sql) =>
  sql<Secret[]>`
  select  ${secretColumns(sql)}
  from    secrets
  where   id = ${id}
  for     no key update
`;

const lockSecretAlone = (id: SecretId) => (sql: Sql) =>
  sql<Secret[]>`
  select  ${secretColumns(sql)}
  from    secrets
  where   id = ${id}
  for     update
`;

const bindingsTo = (id: SecretId) => (sql: Sql) =>
  sql<BoundAgent[]>`
  select    b.agent_id, a.name as agent_name, b.config_path
  from      secret_bindings b
  join      agents a on a.id = b.agent_id
  where     b.secret_id = ${id}
  and       a.lifecycle_state <> 'terminated'
  order by  ${folded(sql, "a.name")}, b.agent_id, b.config_path collate "C"
`;

const deleteAccess = (id: SecretId) => (sql: Sql) =>
  sql`
  delete from secret_access_events
  where  secret_id = ${id}
`;

const deleteBindings = (id: SecretId) => (sql: Sql) =>
  sql`
  delete from secret_bindings
  where  secret_id = ${id}
`;

const deleteVersions = (id: SecretId) => (sql: Sql) =>
  sql`
  delete from secret_versions
  where  secret_id = ${id}
`;

const deleteSecret = (id: SecretId) => (sql: Sql) =>
  sql`
  delete from secrets
  where  id = ${id}
`;

const setVersionDisabled = (id: SecretId, version: number, disabledAt: Instant | null) => (sql: Sql) =>
  sql<{ version: number }[]>`
  update     secret_versions
  set        disabled_at = ${disabledAt}
  where      secret_id = ${id}
  and        version = ${version}
  and        (disabled_at is null) <> (${disabledAt}::timestamptz is null)
  returning  version
`;

const insertSecret = (secret: Secret) => (sql: Sql) =>
  sql`
  insert into secrets ${secretColumns.values(sql, secret)}
`;

const savedColumns = secretColumns.without(`
  id, company_id, provider, managed_mode, external_ref, canonical_ref, last_resolved_at,
  created_by_agent_id, created_by_user_id, created_at
`);

const saveSecret = (secret: Secret) => (sql: Sql) =>
  sql`
  update  secrets
  set     ${savedColumns.assign(sql, secret)}
  where   id = ${secret.id}
`;

const versionColumns = columnsOf(`
  id, secret_id, company_id, version, vault_id, sealed, external_ref, provider_version_ref, fingerprint,
  is_short, created_by_agent_id, created_by_user_id, created_at
`);

const insertVersion = (version: SecretVersion) => (sql: Sql) =>
  sql`
  insert into secret_versions ${versionColumns.values(sql, version)}
`;

const existing =
  (companyId: CompanyId, { names, keys, references }: Parameters<SecretStore["existing"]>[1]) =>
  (sql: Sql) =>
    sql<Existing[]>`
  select  id, name, key,
          case
            when provider = ${references?.provider ?? null}::text
             and vault_id is not distinct from ${references?.vaultId ?? null}::uuid
            then canonical_ref
          end as canonical_ref
  from    secrets
  where   company_id = ${companyId}
  and     (
            ${folded(sql, "name")} = any(${names.map((name) => name.toLowerCase())}::text[])
            or key = any(${[...keys]}::text[])
            or canonical_ref = any(${[...(references?.canonical ?? [])]}::text[])
          )
`;

const managedNames = (names: readonly string[]) => (sql: Sql) =>
  sql<{ name: string }[]>`
  select distinct  v.external_ref as name
  from             secret_versions v
  join             secrets s on s.id = v.secret_id
  where            v.external_ref = any(${[...names]}::text[])
  and              s.managed_mode = 'service_managed'
`;

const holdSecrets = (companyId: CompanyId, ids: readonly SecretId[]) => (sql: Sql) =>
  sql<Secret[]>`
  select    ${secretColumns(sql)}
  from      secrets
  where     company_id = ${companyId}
  and       id = any(${[...ids]}::uuid[])
  order by  id
  for       share
`;

const clearBindings = (agentId: AgentId) => (sql: Sql) =>
  sql`
  delete from secret_bindings
  where  agent_id = ${agentId}
`;

const insertBindings =
  (companyId: CompanyId, agentId: AgentId, bindings: readonly SecretBinding[]) => (sql: Sql) =>
    sql`
  insert into secret_bindings (agent_id, company_id, config_path, secret_id, version)
  select  ${agentId}, ${companyId}, bound.*
  from    unnest(
            ${bindings.map(({ configPath }) => configPath)}::text[],
            ${bindings.map(({ secretId }) => secretId)}::uuid[],
            ${bindings.map(({ version }) => version)}::int[]
          ) as bound
`;

const secretsOf = (companyId: CompanyId, ids: readonly SecretId[]) => (sql: Sql) =>
  sql<Secret[]>`
  select  ${secretColumns(sql)}
  from    secrets
  where   company_id = ${companyId}
  and     id = any(${[...ids]}::uuid[])
`;

/** Returns the versions that the bindings pin, and the latest of each. */
const versionsOf = (companyId: CompanyId, bindings: readonly SecretBinding[]) => (sql: Sql) =>
  sql<SecretVersion[]>`
  select  ${versionColumns(sql, "v")}, v.disabled_at
  from    secret_versions v
  join    secrets s on s.id = v.secret_id
  where   v.company_id = ${companyId}
  and     v.secret_id = any(${bindings.map(({ secretId }) => secretId)}::uuid[])
  and     (
            v.version = s.latest_version
            or v.version = any(${bindings.flatMap(({ version }) => (version === null ? [] : [version]))}::int[])
          )
`;

const vaultsOf = (companyId: CompanyId, ids: readonly SecretId[]) => (sql: Sql) =>
  sql<Vault[]>`
  select  ${vaultColumns(sql)}
  from    vaults
  where   company_id = ${companyId}
  and     id in (
            select  vault_id
            from    secret_versions
            where   secret_id = any(${[...ids]}::uuid[])
            and     vault_id is not null
          )
`;

const accessColumns = columnsOf(`
  id, company_id, secret_id, version, provider, agent_id, config_path, issue_id, run_id, outcome, error_code, created_at
`);

const insertAccess = (event: AccessEvent) => (sql: Sql) =>
  sql`
  insert into secret_access_events ${accessColumns.values(sql, { ...event, id: v7(), createdAt: event.at })}
`;

const recordResolved =
  ({ secretId, at }: AccessEvent) =>
  (sql: Sql) =>
    sql`
  update  secrets
  set     last_resolved_at = ${at}
  where   id = ${secretId}
  and     (last_resolved_at is null or last_resolved_at < ${at})
`;
