import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { clause } from "../../core/model/shared/sentence.ts";
import type { InstalledAdapter } from "../../ports/adapter-packages.ts";
import { typePattern } from "./exported.ts";
import { isPackageName } from "./npm-install.ts";
import { oneLine } from "./plain-text.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

/** An entry of the file, with the fields that only the file has. */
export interface RegistryEntry extends InstalledAdapter {
  /** Hash of the files as installed; null for a folder and for entries written by hand. */
  readonly contents: string | null;
}

/** An unusable entry, or the file itself. */
export interface RegistryProblem {
  readonly type: string | null;
  readonly packageName: string | null;
  readonly localPath: string | null;
  /** A sentence. */
  readonly problem: string;
}

export interface RegistryContents {
  /** The first entry of each type. */
  readonly entries: readonly RegistryEntry[];
  readonly problems: readonly RegistryProblem[];
  /** Whether the whole file could be read. */
  readonly isWhole: boolean;
}

export interface RegistryFile {
  read(): Promise<RegistryContents>;
  /** Replaces the entry of its type. Other contents of the file stay, valid or not. */
  put(entry: RegistryEntry): Promise<void>;
  /** Removes all entries of that type. */
  remove(type: string): Promise<void>;
}

/** People edit this file, so fields that only the service needs are optional. */
const Entry = z
  .looseObject({
    id: z
      .string()
      .regex(/^[\w-]{1,100}$/)
      .optional(),
    packageName: z.string().refine(isPackageName, "must be the name of a package").nullish(),
    localPath: z.string().max(4096).refine(isAbsolute, "must be absolute").nullish(),
    type: z.string().max(100).regex(typePattern, "must be snake_case"),
    version: z
      .string()
      .regex(/^[\w.+-]{1,100}$/, "must be a version")
      .optional(),
    installedAt: z.string().optional(),
    integrity: z.string().nullish(),
    contents: z.string().nullish(),
  })
  .refine(
    ({ packageName, localPath }) => (packageName ?? localPath) != null,
    "needs packageName or localPath",
  );

const maxBytes = 4 * 1024 * 1024;

interface Raw {
  readonly items: readonly unknown[];
  /** A sentence where the file is not valid. */
  readonly problem: string | null;
}

export const registryFile = (path: string): RegistryFile => {
  const readRaw = async (): Promise<Raw> => {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      if (found.code === "ENOENT") return { items: [], problem: null };
      throw new PluginRefusal(`${path} cannot be read (${found.code}).`);
    }
    if (!found.isFile() || found.size > maxBytes)
      throw new PluginRefusal(`${path} must be a file of at most 4 MiB.`);
    const text = (
      await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        throw new PluginRefusal(`${path} cannot be read (${error.code}).`);
      })
    ).replace(/^\uFEFF/, "");
    try {
      const given: unknown = JSON.parse(text);
      if (Array.isArray(given)) return { items: given, problem: null };
    } catch {
      // The valid entries are read below.
    }
    const items = objectsIn(text);
    return {
      items,
      problem: `${path} must hold a JSON array. ${items.length === 0 ? "Nothing in it could be read" : `Of it, ${items.length} entries could be read`}; when it is next written, it is first kept as ${brokenName(path)}.`,
    };
  };
  const write = async (items: readonly unknown[], before: Raw): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (before.problem !== null) await rename(path, `${brokenName(path)}-${Date.now()}`);
    const temporary = `${path}.new`;
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(items, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  };
  return {
    read: async () => {
      const raw = await readRaw().catch((error: unknown) => {
        if (!(error instanceof PluginRefusal)) throw error;
        return { items: [], problem: error.message };
      });
      const read = raw.items.map((item, at) => entryOf(item, `${path}, entry ${at + 1}`));
      const entries: RegistryEntry[] = [];
      const problems: RegistryProblem[] =
        raw.problem === null
          ? []
          : [{ type: null, packageName: null, localPath: null, problem: raw.problem }];
      read.forEach((entry, at) => {
        if ("problem" in entry) problems.push(entry);
        else if (entries.every(({ type }) => type !== entry.type)) entries.push(entry);
        else {
          const { type, packageName, localPath } = entry;
          const problem = `${path}, entry ${at + 1}: another entry of the type ${type} stands before it. Types are unique.`;
          problems.push({ type, packageName, localPath, problem });
        }
      });
      return { entries, problems, isWhole: raw.problem === null };
    },
    put: async (entry) => {
      const before = await readRaw();
      const at = before.items.findIndex((item) => typeOf(item) === entry.type);
      const written = { ...(at < 0 ? {} : (before.items[at] as object)), ...entry };
      await write(at < 0 ? [...before.items, written] : before.items.with(at, written), before);
    },
    remove: async (type) => {
      const before = await readRaw();
      await write(
        before.items.filter((item) => typeOf(item) !== type),
        before,
      );
    },
  };
};

const brokenName = (path: string): string => `${path}.broken`;

const typeOf = (item: unknown): unknown =>
  typeof item === "object" && item !== null ? (item as { readonly type?: unknown }).type : undefined;

const entryOf = (item: unknown, where: string): RegistryEntry | RegistryProblem => {
  const parsed = Entry.safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const setting = (name: string) => {
      const value =
        typeof item === "object" && item !== null ? (item as Record<string, unknown>)[name] : undefined;
      return typeof value === "string" ? oneLine(value, 300) : null;
    };
    const type = setting("type");
    return {
      type: type !== null && typePattern.test(type) ? type : null,
      packageName: setting("packageName"),
      localPath: setting("localPath"),
      problem: `${where}: ${clause([issue?.path.join("."), issue?.message].filter(Boolean).join(" "))}. It is left out.`,
    };
  }
  const { id, packageName, localPath, type, version, installedAt, integrity, contents } = parsed.data;
  return {
    id: id ?? type,
    packageName: localPath == null ? (packageName ?? null) : null,
    localPath: localPath ?? null,
    type,
    version: version ?? "0.0.0",
    installedAt: installedAt ?? new Date(0).toISOString(),
    integrity: integrity ?? null,
    contents: contents ?? null,
  };
};

/** Finds the objects in a text that is not valid JSON: one extra comma does not lose all of them. */
const objectsIn = (text: string): readonly unknown[] => {
  const found: unknown[] = [];
  let depth = 0;
  let from = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inText) {
      if (character === "\\") at += 1;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = depth > 0;
    else if (character === "{") {
      if (depth === 0) from = at;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      try {
        found.push(JSON.parse(text.slice(from, at + 1)));
      } catch {
        // This object is the invalid one.
      }
    }
  }
  return found;
};
