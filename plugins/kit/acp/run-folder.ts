import type { ExecuteContext, ProgramFile } from "../../../ports/agent-adapter.ts";
import { rulesFile, rulesText } from "../house-rules.ts";
import { skillFiles, skillsPrompt } from "../skills.ts";
import type { FolderSettings, Preset } from "./presets.ts";

/** How an agent learns of its company's house rules and its skills, outside of its home and workspace. */
export interface RunFolder {
  readonly files: readonly ProgramFile[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder that the session adds; null: none. */
  readonly added: string | null;
  /** Parts of the prompt, in place of files. */
  readonly prompt: readonly (string | null)[];
}

type RunContext = Pick<ExecuteContext, "houseRules" | "skills" | "files" | "env">;

export const runFolder = (context: RunContext, { reads }: Preset): RunFolder => {
  const { files: folder, houseRules, skills } = context;
  const rules = reads?.rules === undefined ? null : rulesFile(context, reads.rules, reads.rulesHead);
  const laidOut = skillFiles(skills, reads?.skills)?.files ?? [];
  const hasSkills = reads?.skills !== undefined && laidOut.length > 0;
  const holds = { skills: hasSkills, rules: rules?.path ?? null, env: context.env };
  const settings: FolderSettings =
    reads === undefined || reads.by === "session" ? {} : reads.by(folder, holds);
  const isOverridden = Object.keys(settings.env ?? {}).some((name) => context.env[name] !== undefined);
  if (reads === undefined || isOverridden)
    return {
      files: skillFiles(skills)?.files ?? [],
      args: [],
      env: {},
      added: null,
      prompt: [rulesText(houseRules), skillsPrompt(skills)],
    };
  const isRead = rules !== null || hasSkills;
  const { args = [], env = {}, addedEnv = {}, file } = isRead ? settings : {};
  return {
    files: [...laidOut, ...(rules === null ? [] : [rules]), ...(file === undefined ? [] : [file])],
    args,
    env: { ...env, ...addedEnv },
    added: isRead && reads.by === "session" ? folder : null,
    prompt: [
      reads.rules === undefined ? rulesText(houseRules) : null,
      reads.skills === undefined ? skillsPrompt(skills) : null,
    ],
  };
};
