import type { Sql } from "postgres";
import type { InstallationId } from "../../core/model/shared/ids.ts";

/** Returns the id of the installation, which the first service on its database makes. */
export const installationOf = async (sql: Sql): Promise<InstallationId> => {
  await sql`
    insert into instance_settings (name, value)
    values ('installation', jsonb_build_object('id', gen_random_uuid()))
    on conflict (name) do nothing
  `;
  const [row] = await sql<{ id: InstallationId }[]>`
    select value ->> 'id' as id
    from   instance_settings
    where  name = 'installation'
  `;
  return row!.id;
};

/** Makes the database of a copied data directory another installation, and returns its id. */
export const renewInstallation = async (sql: Sql): Promise<InstallationId> => {
  await sql.begin((tx) => becomeAnotherInstallation(tx as unknown as Sql));
  return installationOf(sql);
};

/**
 * Makes a copied database another installation: nothing in it refers to programs, services or disks of the original, whose
 * programs carry the original's id. Its running runs count as lost.
 */
export const becomeAnotherInstallation = async (tx: Sql): Promise<void> => {
  await tx`
    insert into instance_settings (name, value)
    values ('installation', jsonb_build_object('id', gen_random_uuid()))
    on conflict (name) do update set value = excluded.value
  `;
  await tx`
    update runs
    set    scope = null, process = null
    where  status = 'running'
  `;
  await tx`delete from services`;
};
