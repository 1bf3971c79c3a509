import { join } from "node:path";
import { ephemeralSkills } from "../../kit/skills.ts";
import { claudeHome } from "./claude-home.ts";

/** `--add-dir` gives a run its skills; the program also reads these folders (2.1.197). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  {
    path: join(claudeHome(env), "skills"),
    label: env.CLAUDE_CONFIG_DIR ? "$CLAUDE_CONFIG_DIR/skills" : "~/.claude/skills",
  },
  { path: join(cwd, ".claude", "skills"), label: "<workspace>/.claude/skills" },
]);
