import type { Sql } from "postgres";
import { unhealthyStatuses } from "../../../core/model/vaults/vault-status.ts";
import { setOf } from "../facts.ts";
import { entryOf } from "./inbox-columns.ts";

/** Vaults whose check found a problem. Reads `r`. */
export const unhealthyVaults = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'unhealthy_vault'`,
    subject: "vault",
    id: sql`vault.id`,
    title: sql`vault.display_name`,
    detail: sql`jsonb_build_object('error', vault.health_message)`,
    since: sql`coalesce(vault.health_checked_at, vault.updated_at)`,
    version: sql`coalesce(vault.health_checked_at, vault.updated_at)`,
  })}
  from    r
  join    vaults vault on vault.company_id = r.company_id and vault.status in ${setOf(sql, unhealthyStatuses)}
  where   r.name = 'operator'
`;
