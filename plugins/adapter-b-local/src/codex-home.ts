import { join } from "node:path";

/** Returns the folder of the user's configuration and data. */
export const codexHome = (env: Readonly<Record<string, string>>): string =>
  env.CODEX_HOME || join(env.HOME || "/", ".codex");
