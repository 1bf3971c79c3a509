import { join } from "node:path";
import type { RunSkills } from "../../../ports/agent-adapter.ts";
import { ephemeralSkills } from "../../kit/skills.ts";
import { codexHome } from "./codex-home.ts";

/** The folders that the program reads by itself (0.169.0). */
export const skills = ephemeralSkills(({ env, cwd }) => [
  { path: join(codexHome(env), "skills"), label: env.CODEX_HOME ? "$CODEX_HOME/skills" : "~/.codex/skills" },
  { path: join(env.HOME || "/", ".agents", "skills"), label: "~/.agents/skills" },
  { path: join(cwd, ".agents", "skills"), label: "<workspace>/.agents/skills" },
  { path: join(cwd, ".codex", "skills"), label: "<workspace>/.codex/skills" },
]);

/**
 * The program takes no folder of skills for one run (0.169.0): it reads its user's home and the workspace, and the
 * service may write to neither. So the prompt lists the skills as the program lists its own, by name, use and file.
 */
export const skillsPrompt = (skills: RunSkills | undefined): string | null =>
  skills === undefined || skills.wanted.length === 0
    ? null
    : [
        "In addition to those you know of, you have these skills. When one fits what you do, read its file first and go by it; paths in it are relative to its folder.",
        ...skills.wanted.map(
          ({ key, description }) =>
            `- ${key}: ${description} (file: ${join(skills.folder, ".claude", "skills", key, "SKILL.md")})`,
        ),
      ].join("\n");
