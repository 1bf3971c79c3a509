import { join } from "node:path";
import postgres from "postgres";
import { expect, it } from "vitest";
import { readMigrations } from "../../adapters-infra/postgres/migrate.ts";
import { createDatabase } from "../support/database.ts";
import { root } from "../support/imports.ts";
import { schemaText } from "../support/schema-text.ts";

const header =
  "-- The schema of the database after all migrations, printed by `npm run schema`. Do not edit: change it by a migration.\n\n";

it("docs/schema.sql is the schema after all migrations, with their comments", async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1 });
  try {
    const migrations = (await readMigrations()).map(({ text }) => text);
    await expect(header + (await schemaText(sql, migrations))).toMatchFileSnapshot(
      join(root, "docs/schema.sql"),
    );
  } finally {
    await sql.end();
    await database.drop();
  }
});
