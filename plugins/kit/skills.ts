import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readlink, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type {
  ExecuteContext,
  OfferedSkill,
  SkillEntry,
  SkillsContext,
  SkillsSnapshot,
} from "../../ports/agent-adapter.ts";
import { textList } from "./config.ts";

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
    const own = (await Promise.all(foldersOf(context).map(skillsIn))).flat();
    const twice = own.filter(({ runtimeName }) => desired.includes(runtimeName));
    return {
      adapterType: context.adapterType,
      supported: true,
      mode: "ephemeral",
      desiredSkills: desired,
      entries: [...managedEntries(context.offeredSkills, desired), ...own],
      warnings: twice.map(
        ({ runtimeName, locationLabel }) =>
          `A skill ${runtimeName} is also in ${locationLabel}; the program chooses one of the two.`,
      ),
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

const skillsIn = async ({ path, label }: SkillFolder): Promise<readonly SkillEntry[]> => {
  const names = await readdir(path).catch((): string[] => []);
  const entries = await Promise.all(
    names.sort().map(async (name): Promise<readonly SkillEntry[]> => {
      const isSkill = await stat(join(path, name, "SKILL.md")).then(
        (found) => found.isFile(),
        () => false,
      );
      if (!isSkill) return [];
      const detail = "It was installed manually and is present in every run.";
      return [
        {
          key: `${label}/${name}`,
          runtimeName: name,
          desired: false,
          managed: false,
          state: "external",
          origin: "user_installed",
          locationLabel: label,
          readOnly: true,
          detail,
        },
      ];
    }),
  );
  return entries.flat();
};

/**
 * Lays out the skills of a run as links in `<the agent's folder>/.claude/skills` and removes links of earlier runs.
 * Keeps entries other than links. Returns the agent's folder; null where the run has no skills.
 */
export const layOutSkills = async ({
  skills,
  onLog,
}: Pick<ExecuteContext, "skills" | "onLog">): Promise<string | null> => {
  if (skills === undefined || skills.wanted.length === 0) return null;
  const { wanted, folder } = skills;
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  const place = join(await realpath(dirname(folder)), basename(folder), ".claude", "skills");
  await mkdir(place, { recursive: true, mode: 0o755 });
  if ((await realpath(place)) !== place)
    throw new Error(`${place} is a link to somewhere else. Remove it; it is the service's own.`);
  const isLink = (path: string) =>
    lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => null,
    );
  for (const name of await readdir(place)) {
    // Names that begin with a dot belong to another run and are about to be renamed.
    if (name.startsWith(".") || wanted.some(({ key }) => key === name)) continue;
    if (await isLink(join(place, name))) await rm(join(place, name), { force: true });
  }
  for (const { key, path } of wanted) {
    const link = join(place, key);
    if ((await readlink(link).catch(() => null)) === path) continue;
    if ((await isLink(link)) === false) {
      await onLog("system", `${link} is in the way of the skill ${key}, which this run goes without.\n`);
      continue;
    }
    const beside = join(place, `.${key}.${randomUUID()}`);
    await symlink(path, beside);
    await rename(beside, link);
  }
  return dirname(dirname(place));
};
