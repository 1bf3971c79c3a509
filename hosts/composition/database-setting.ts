import { databaseProblem } from "../../adapters-infra/postgres/check-database.ts";
import { DatabaseUrlInvalid } from "../../adapters-infra/postgres/connection-string.ts";
import { completeDatabaseUrl, readDatabaseUrl } from "../../adapters-infra/postgres/database-url.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import { SettingInvalid } from "./setting-invalid.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Completes DATABASE_URL by libpq's variables (PGHOST …), with which the embedded server has nothing to do. */
export const databaseUrlOf = (text: string, env: Environment): string => {
  try {
    return completeDatabaseUrl(text, env);
  } catch (error) {
    if (error instanceof DatabaseUrlInvalid)
      throw new SettingInvalid(`DATABASE_URL ${clause(error.message)}.`);
    throw error;
  }
};

/** The first server, for people. */
export const serverName = (url: string): string => {
  const [server] = readDatabaseUrl(url).servers;
  return `${server!.host.includes(":") ? `[${server!.host}]` : server!.host}:${server!.port}`;
};

/** Why the service can't use the database, in a sentence; null: it can. */
export const databaseFailure = (url: string): Promise<string | null> =>
  databaseProblem(url).catch(
    (error: unknown) =>
      `The database answers with an error: ${error instanceof Error ? error.message : error}`,
  );
