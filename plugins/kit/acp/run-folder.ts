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
  const settings: FolderSettings = reads === undefined || reads.by === "session" ? {} : reads.by(folder);
  const isTaken = Object.keys(settings.env ?? {}).some((name) => context.env[name] !== undefined);
  if (reads === undefined || isTaken)
    return {
      files: skillFiles(skills)?.files ?? [],
      args: [],
      env: {},
      added: null,
      prompt: [rulesText(houseRules), skillsPrompt(skills)],
    };
  const rules = rulesFile(context, reads.rules, reads.rulesHead);
  const files = [...(skillFiles(skills)?.files ?? []), ...(rules === null ? [] : [rules])];
  const isRead = rules !== null || (reads.skills === true && files.length > 0);
  const { args = [], env = {}, file } = isRead ? settings : {};
  return {
    files: file === undefined ? files : [...files, file],
    args,
    env,
    added: isRead && reads.by === "session" ? folder : null,
    prompt: reads.skills !== true ? [skillsPrompt(skills)] : [],
  };
};
