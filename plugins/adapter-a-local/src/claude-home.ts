import { join } from "node:path";

/** Returns the folder of the user's configuration and data. */
export const claudeHome = (env: Readonly<Record<string, string>>): string =>
  env.CLAUDE_CONFIG_DIR || join(env.HOME || "/", ".claude");
