import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { OfferedSkill } from "../../ports/agent-adapter.ts";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";

export interface SkillCatalogueOptions {
  /** A folder per skill, created by people. */
  readonly catalogue: string;
  /** The service's own skill; it replaces what is stored under its key. */
  readonly own: { readonly key: string; readonly text: string };
}

/** The form of a name that the programs that read skills agree upon. */
const keyForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const maxKey = 64;
const maxDescription = 1024;
const maxFileBytes = 1024 * 1024;

/** Why an entry of the catalogue is no skill. */
class NoSkill extends Error {}

/** Reads skills from folders on this machine. Does not follow links. */
export const skillCatalogue = ({ catalogue, own }: SkillCatalogueOptions): SkillCatalogue => ({
  read: () =>
    Effect.promise(async () => {
      await writeOwn(catalogue, own);
      const offered: OfferedSkill[] = [];
      const problems: string[] = [];
      for (const name of (await readdir(catalogue)).sort()) {
        if (name.startsWith(".")) continue;
        try {
          offered.push(await readSkill(catalogue, name));
        } catch (error) {
          const { message, code } = error as NodeJS.ErrnoException;
          const why = error instanceof NoSkill ? message : `it cannot be read (${code ?? message}).`;
          problems.push(`skills/${name} is not on offer: ${why}`);
        }
      }
      return { offered, problems };
    }),
});

const writeOwn = async (catalogue: string, { key, text }: SkillCatalogueOptions["own"]): Promise<void> => {
  const file = join(catalogue, key, "SKILL.md");
  if ((await readFile(file, "utf8").catch(() => null)) === text) return;
  await mkdir(join(catalogue, key), { recursive: true, mode: 0o755 });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o644 });
  await rename(temporary, file);
};

const readSkill = async (catalogue: string, key: string): Promise<OfferedSkill> => {
  const path = join(catalogue, key);
  if (!(await lstat(path)).isDirectory()) throw new NoSkill("it is no folder.");
  if (!keyForm.test(key) || key.length > maxKey)
    throw new NoSkill("its name must be lower-case words with hyphens between them.");
  const file = join(path, "SKILL.md");
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) throw new NoSkill("it has no file SKILL.md.");
  if (found.size > maxFileBytes) throw new NoSkill("its SKILL.md is larger than 1 MiB.");
  const { name, description } = frontMatter(await readFile(file, "utf8"));
  if (name !== key) throw new NoSkill(`its SKILL.md must begin with a front matter that says name: ${key}.`);
  if (description === undefined || description === "")
    throw new NoSkill("the front matter of its SKILL.md has no description.");
  if (description.length > maxDescription)
    throw new NoSkill(`its description is longer than ${maxDescription} characters.`);
  return { key, description, path };
};

/** Reads the header between the lines `---`: the subset of YAML in use, `key: text` in one line or folded. */
export const frontMatter = (text: string): Readonly<Record<string, string>> => {
  const found = /^\uFEFF?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text);
  const values = new Map<string, string[]>();
  let key: string | null = null;
  for (const line of (found?.[1] ?? "").split(/\r?\n/)) {
    const [, name, value = ""] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      key = name;
      values.set(name, /^[|>][+-]?$/.test(value.trim()) ? [] : [value.trim()]);
    } else if (key !== null && /^[ \t]+\S/.test(line)) values.get(key)?.push(line.trim());
    else if (line.trim() !== "") key = null;
  }
  return Object.fromEntries([...values].map(([name, lines]) => [name, unquoted(lines.join(" ").trim())]));
};

const unquoted = (text: string): string => {
  const [, quote, inner = ""] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  if (quote === "'") return inner.replaceAll("''", "'");
  return quote === '"' ? inner.replaceAll(/\\(["\\])/g, "$1") : text;
};
