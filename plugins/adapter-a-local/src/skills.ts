import { join } from "node:path";
import { ephemeralSkills } from "../../kit/skills.ts";
import { claudeHome } from "./claude-home.ts";

/** Skills of a run are given by `--add-dir`; these are the folders that the program reads besides (2.1.197). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  {
    path: join(claudeHome(env), "skills"),
    label: env.CLAUDE_CONFIG_DIR ? "$CLAUDE_CONFIG_DIR/skills" : "~/.claude/skills",
  },
  { path: join(cwd, ".claude", "skills"), label: "<workspace>/.claude/skills" },
]);
