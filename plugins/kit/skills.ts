import { join } from "node:path";
import type {
  ExecuteContext,
  OfferedSkill,
  ProgramFile,
  RunSkills,
  SkillEntry,
  SkillsContext,
  SkillsSnapshot,
} from "../../ports/agent-adapter.ts";
import { textList } from "./config.ts";
import { inspect } from "./inspect.ts";

/** A folder in which a program looks for its user's skills. */
export interface SkillFolder {
  readonly path: string;
  /** The path as people write it. */
  readonly label: string;
}

/**
 * Skills of a program that learns of them at the start of each run: it stores nothing, so only the list needs a sync.
 */
export const ephemeralSkills = (foldersOf: (context: SkillsContext) => readonly SkillFolder[]) => {
  const snapshot = async (context: SkillsContext, desired: readonly string[]): Promise<SkillsSnapshot> => {
    const folders = foldersOf(context);
    const { problem, skills, leftOut } = await inspect(context, { skills: folders.map(({ path }) => path) });
    const own = folders.flatMap(({ path, label }) => (skills.get(path) ?? []).map(ownEntry(label)));
    const twice = own.filter(({ runtimeName }) => desired.includes(runtimeName));
    return {
      adapterType: context.adapterType,
      supported: true,
      mode: "ephemeral",
      desiredSkills: desired,
      entries: [...managedEntries(context.offeredSkills, desired), ...own],
      warnings: [
        ...(problem === null ? [] : [`Skills that were installed there by hand are not listed: ${problem}`]),
        ...leftOut,
        ...twice.map(
          ({ runtimeName, locationLabel }) =>
            `A skill ${runtimeName} is also in ${locationLabel}; the program chooses one of the two.`,
        ),
      ],
    };
  };
  return {
    listSkills: (context: SkillsContext) => snapshot(context, textList(context.config, "desiredSkills")),
    syncSkills: snapshot,
  };
};

const managedEntries = (
  offered: readonly OfferedSkill[],
  desired: readonly string[],
): readonly SkillEntry[] => {
  const entry = (key: string, state: SkillEntry["state"], detail: string): SkillEntry => ({
    key,
    runtimeName: key,
    desired: desired.includes(key),
    managed: true,
    state,
    origin: "company_managed",
    locationLabel: `skills/${key}`,
    detail,
  });
  const missing = desired.filter((key) => !offered.some((skill) => skill.key === key));
  return [
    ...offered.map(({ key, description }) =>
      entry(key, desired.includes(key) ? "configured" : "available", description),
    ),
    ...missing.map((key) => entry(key, "missing", "It is no longer offered: runs do not have it.")),
  ];
};

const ownEntry =
  (label: string) =>
  (name: string): SkillEntry => ({
    key: `${label}/${name}`,
    runtimeName: name,
    desired: false,
    managed: false,
    state: "external",
    origin: "user_installed",
    locationLabel: label,
    readOnly: true,
    detail: "It was installed manually and is present in every run.",
  });

/** Where a program looks for skills in a folder. */
export type SkillsPath = ".claude/skills" | ".agents/skills";

/**
 * The skills of a run as files of a folder. Returns the folder and the files; null where the run has no skills.
 */
export const skillFiles = (
  skills: ExecuteContext["skills"],
  at: SkillsPath = ".claude/skills",
): { readonly folder: string; readonly files: readonly ProgramFile[] } | null =>
  skills === undefined || skills.wanted.length === 0
    ? null
    : {
        folder: skills.folder,
        files: skills.wanted.map(({ key, path }) => ({
          path: join(skills.folder, at, key),
          source: path,
        })),
      };

/**
 * For a program that takes no folder of skills for one run, such as `codex exec` (0.169.0) and gemini (0.61.0): it reads its user's
 * home and the workspace, and the service may write to neither. So the prompt lists the skills as the program lists its own, by name, use and file.
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
