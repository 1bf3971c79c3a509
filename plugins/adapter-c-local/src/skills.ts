import { join } from "node:path";
import { ephemeralSkills } from "../../kit/skills.ts";
import { configHome } from "./opencode-config.ts";

/** The run's configuration gives it its skills; the program also reads these folders (1.18.33). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  { path: join(configHome(env), "skills"), label: "~/.config/opencode/skills" },
  { path: join(env.HOME || "/", ".claude", "skills"), label: "~/.claude/skills" },
  { path: join(env.HOME || "/", ".agents", "skills"), label: "~/.agents/skills" },
  { path: join(cwd, ".claude", "skills"), label: "<workspace>/.claude/skills" },
  { path: join(cwd, ".agents", "skills"), label: "<workspace>/.agents/skills" },
]);
