import { join } from "node:path";

/** Where the program keeps what is its user's. */
export const codexHome = (env: Readonly<Record<string, string>>): string =>
  env.CODEX_HOME || join(env.HOME || "/", ".codex");
