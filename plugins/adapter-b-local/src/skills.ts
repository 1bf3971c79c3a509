import { join } from "node:path";
import { ephemeralSkills } from "../../kit/skills.ts";
import { codexHome } from "./codex-home.ts";

/** The folders that the program reads by itself (0.169.0). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  { path: join(codexHome(env), "skills"), label: env.CODEX_HOME ? "$CODEX_HOME/skills" : "~/.codex/skills" },
  { path: join(env.HOME || "/", ".agents", "skills"), label: "~/.agents/skills" },
  { path: join(cwd, ".agents", "skills"), label: "<workspace>/.agents/skills" },
  { path: join(cwd, ".codex", "skills"), label: "<workspace>/.codex/skills" },
]);
