import { join } from "node:path";

/** Where the program keeps what is its user's. */
export const claudeHome = (env: Readonly<Record<string, string>>): string =>
  env.CLAUDE_CONFIG_DIR || join(env.HOME || "/", ".claude");
