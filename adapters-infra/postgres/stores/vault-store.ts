import type { Sql } from "postgres";
import type { CompanyId, VaultId } from "../../../core/model/shared/ids.ts";
import { type Vault, VaultNotFound } from "../../../core/model/vaults/vault.ts";
import type { VaultStore } from "../../../ports/stores/vault-store.ts";
import { vaultColumns } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const vaultStore = (tx: Statements): VaultStore => ({
  lock: (id) => tx.first(lockVault(id)).pipe(orFail(() => new VaultNotFound())),
  hold: (companyId, id) => tx.first(holdVault(companyId, id)),
  insert: (vault) => tx.write(insertVault(vault)),
  save: (vault) => tx.write(saveVault(vault)),
  lockDefaults: (companyId) => tx.write(lockOfCompany("vault defaults", companyId)),
  clearDefault: (vault, at) => tx.write(clearDefault(vault, at)),
});

const lockVault = (id: VaultId) => (sql: Sql) =>
  sql<Vault[]>`
  select  ${vaultColumns(sql)}
  from    vaults
  where   id = ${id}
  for     no key update
`;

const holdVault = (companyId: CompanyId, id: VaultId) => (sql: Sql) =>
  sql<Vault[]>`
  select  ${vaultColumns(sql)}
  from    vaults
  where   id = ${id}
  and     company_id = ${companyId}
  for     share
`;

const insertVault = (vault: Vault) => (sql: Sql) =>
  sql`
  insert into vaults ${vaultColumns.values(sql, vault)}
`;

const savedColumns = vaultColumns.without(`
  id, company_id, provider, created_by_agent_id, created_by_user_id, created_at
`);

const saveVault = (vault: Vault) => (sql: Sql) =>
  sql`
  update  vaults
  set     ${savedColumns.assign(sql, vault)}
  where   id = ${vault.id}
`;

const clearDefault =
  ({ id, companyId, provider }: Pick<Vault, "id" | "companyId" | "provider">, at: string) =>
  (sql: Sql) =>
    sql`
  update  vaults
  set     is_default = false,
          updated_at = ${at}
  where   company_id = ${companyId}
  and     provider = ${provider}
  and     is_default
  and     id <> ${id}
`;
