import { type PresetName, presets } from "../../kit/acp/presets.ts";
import { ephemeralSkills } from "../../kit/skills.ts";

/** Those of the agent's own user and workspace; the run's are given to it by its session or its prompt. */
export const skills = ephemeralSkills(({ config, env, cwd }) => {
  const { skillFolders } = presets[config.agent as PresetName] ?? presets.custom;
  return skillFolders.map((label) => ({
    label,
    path: label.replace(/^~/, env.HOME || "/").replace(/^<workspace>/, cwd),
  }));
});
