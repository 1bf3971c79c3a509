import { join } from "node:path";
import { asList, asObject } from "../../kit/json.ts";
import { ephemeralSkills } from "../../kit/skills.ts";
import { configHome, parseJsonc } from "./opencode-config.ts";

/** The run's configuration gives it its skills; the program also reads these folders (1.18.33). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  { path: join(configHome(env), "skills"), label: "~/.config/opencode/skills" },
  { path: join(env.HOME || "/", ".claude", "skills"), label: "~/.claude/skills" },
  { path: join(env.HOME || "/", ".agents", "skills"), label: "~/.agents/skills" },
  { path: join(cwd, ".claude", "skills"), label: "<workspace>/.claude/skills" },
  { path: join(cwd, ".agents", "skills"), label: "<workspace>/.agents/skills" },
]);

/** Returns the variable that adds a folder of skills to the user's configuration, keeping its value. */
export const skillsVariable = (
  laidOut: string | null,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  if (laidOut === null) return {};
  const config = parseJsonc(env.OPENCODE_CONFIG_CONTENT ?? "") ?? {};
  const own = asObject(config.skills) ?? {};
  const paths = [...asList(own.paths), join(laidOut, ".claude", "skills")];
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, skills: { ...own, paths } }) };
};
