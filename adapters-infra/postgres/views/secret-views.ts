import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Secret, SecretNotFound, SecretVersionNotFound } from "../../../core/model/secrets/secret.ts";
import type { CompanyId, SecretId, VaultId, VersionId } from "../../../core/model/shared/ids.ts";
import { type Vault, VaultNotFound } from "../../../core/model/vaults/vault.ts";
import type {
  AccessEventView,
  AgentBinding,
  SecretVersionView,
  SecretView,
  SecretViews,
} from "../../../ports/views/secret-views.ts";
import { vaultColumns } from "../columns.ts";
import { byId, byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";
import { mcpServersUsing, mcpServerUses, repositoriesUsing, repositoryUses } from "../using-secret.ts";

export const secretViews = (database: Database): SecretViews => ({
  list: (companyId) => database.read(listSecrets(companyId)),
  get: (id) => database.first(getSecret(id)).pipe(orFail(() => new SecretNotFound())),
  byVersion: (id) => database.first(secretOfVersion(id)).pipe(orFail(() => new SecretNotFound())),
  versions: (id, page) =>
    readPage(
      database,
      { kind: "secret versions", of: { id } },
      byNumber<SecretVersionView>(({ version }) => version),
      page,
      secretVersions(id),
    ),
  usage: (id) =>
    Effect.all({
      bindings: database.read(agentBindings(id)),
      repositories: database.read(repositoriesUsing(id)),
      mcpServers: database.read(mcpServersUsing(id)),
    }),
  accessEvents: (id, page) =>
    readPage(database, { kind: "secret access", of: { id } }, byId, page, accessEvents(id)),
  vaults: (companyId) => database.read(listVaults(companyId)),
  inVault: (id) => database.read(secretsInVault(id)),
  version: (id, version) =>
    database.first(secretVersion(id, version)).pipe(orFail(() => new SecretVersionNotFound())),
  vault: (id) => database.first(getVault(id)).pipe(orFail(() => new VaultNotFound())),
});

/** Reads `secrets s` and its latest version `v`. */
const secretView = (sql: Sql) => sql`
  s.id, s.company_id, s.key, s.name, s.description, s.provider, s.vault_id as provider_config_id, s.managed_mode,
  s.status, s.external_ref, v.provider_version_ref, s.provider_metadata, s.latest_version, not v.is_short as masked,
  s.last_resolved_at, s.last_rotated_at, s.created_by_agent_id, s.created_by_user_id, s.created_at, s.updated_at,
  (
    select  count(*)::int
    from    secret_bindings b
    join    agents a on a.id = b.agent_id
    where   b.secret_id = s.id
    and     a.lifecycle_state <> 'terminated'
  ) as reference_count,
  (select count(*)::int from repositories where ${repositoryUses(sql, sql`s.id`)}) as repository_count,
  (
    select  count(*)::int
    from    mcp_servers
    where   company_id = s.company_id
    and     ${mcpServerUses(sql, sql`s.id::text`)}
  ) as mcp_server_count
`;

const listSecrets = (companyId: CompanyId) => (sql: Sql) =>
  sql<SecretView[]>`
  select    ${secretView(sql)}
  from      secrets s
  join      secret_versions v on v.secret_id = s.id and v.version = s.latest_version
  where     s.company_id = ${companyId}
  order by  s.id desc
`;

const getSecret = (id: SecretId) => (sql: Sql) =>
  sql<SecretView[]>`
  select  ${secretView(sql)}
  from    secrets s
  join    secret_versions v on v.secret_id = s.id and v.version = s.latest_version
  where   s.id = ${id}
`;

const secretOfVersion = (id: VersionId) => (sql: Sql) =>
  sql<SecretView[]>`
  select  ${secretView(sql)}
  from    secrets s
  join    secret_versions v on v.secret_id = s.id and v.version = s.latest_version
  where   s.id = (select secret_id from secret_versions where id = ${id})
`;

const versionView = (sql: Sql) => sql`
  v.secret_id, v.version,
  case
    when v.disabled_at is not null then 'disabled'
    when v.version = s.latest_version then 'current'
    else 'previous'
  end as status,
  v.vault_id as provider_config_id, v.provider_version_ref, v.fingerprint, v.created_by_agent_id, v.created_by_user_id,
  v.created_at
`;

const secretVersion = (id: SecretId, version: number) => (sql: Sql) =>
  sql<SecretVersionView[]>`
  select  ${versionView(sql)}
  from    secret_versions v
  join    secrets s on s.id = v.secret_id
  where   v.secret_id = ${id}
  and     v.version = ${version}
`;

const secretsInVault = (id: VaultId) => (sql: Sql) =>
  sql<Pick<Secret, "id" | "name" | "key">[]>`
  select    id, name, key
  from      secrets
  where     id in (select secret_id from secret_versions where vault_id = ${id})
  order by  ${folded(sql, "name")}, id
`;

const secretVersions =
  (id: SecretId) => (before: readonly [version: number] | null, limit: number) => (sql: Sql) =>
    sql<SecretVersionView[]>`
  select    ${versionView(sql)}
  from      secret_versions v
  join      secrets s on s.id = v.secret_id
  where     v.secret_id = ${id}
  ${before === null ? sql`` : sql`and v.version < ${before[0]}`}
  order by  v.version desc
  limit     ${limit}
`;

const agentBindings = (id: SecretId) => (sql: Sql) =>
  sql<AgentBinding[]>`
  select    b.agent_id, a.name as agent_name, b.config_path,
            coalesce(to_jsonb(b.version), '"latest"') as version
  from      secret_bindings b
  join      agents a on a.id = b.agent_id
  where     b.secret_id = ${id}
  and       a.lifecycle_state <> 'terminated'
  order by  ${folded(sql, "a.name")}, b.agent_id, b.config_path collate "C"
`;

const accessEvents = (id: SecretId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
  sql<AccessEventView[]>`
  select    id, secret_id, version, provider, 'agent' as consumer_type, agent_id as consumer_id, config_path, issue_id,
            run_id as heartbeat_run_id, outcome, error_code, created_at
  from      secret_access_events
  where     secret_id = ${id}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;

const listVaults = (companyId: CompanyId) => (sql: Sql) =>
  sql<Vault[]>`
  select    ${vaultColumns(sql)}
  from      vaults
  where     company_id = ${companyId}
  order by  id desc
`;

const getVault = (id: VaultId) => (sql: Sql) =>
  sql<Vault[]>`
  select  ${vaultColumns(sql)}
  from    vaults
  where   id = ${id}
`;
