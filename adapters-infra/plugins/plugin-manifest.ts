import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import { clause } from "../../core/model/shared/sentence.ts";

/** The package is no usable adapter package. The message tells the installing person why. */
export class PluginRefusal extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = "PluginRefusal";
  }
}

/** The package.json of an adapter package. */
export interface PluginManifest {
  /** Absolute, links resolved. */
  readonly directory: string;
  readonly packageName: string;
  readonly version: string;
  /** Absolute path of the module with the root exports. */
  readonly entry: string;
  /** Absolute path of the module of `./server`; null if it has none. */
  readonly server: string | null;
  readonly uiParser: UiParserFile;
}

export type UiParserFile =
  | { readonly served: true; readonly path: string; readonly note?: string }
  /** `note` tells of a UI parser that cannot be served. */
  | { readonly served: false; readonly note?: string };

/** The major version of the UI parser contract that this service supports. */
const uiParserMajor = 1;

const maxManifestBytes = 1024 * 1024;
/** Limit of nested conditions. */
const maxDepth = 20;

type Exports = string | readonly unknown[] | Readonly<Record<string, unknown>>;
const Target: z.ZodType<Exports> = z.union([
  z.string(),
  z.array(z.unknown()),
  z.record(z.string(), z.unknown()),
]);

const PackageJson = z.looseObject({
  name: z.string().min(1).max(214),
  version: z.string().max(100).optional(),
  main: z.string().optional(),
  exports: Target.optional(),
  boardroom: z.looseObject({ uiParser: z.string().optional() }).optional(),
});

/** @throws PluginRefusal */
export const readPluginManifest = async (directory: string): Promise<PluginManifest> => {
  const root = await realpath(directory).catch(() => {
    throw new PluginRefusal(`The folder ${directory} does not exist.`);
  });
  const manifest = parseManifest(await readManifest(root));
  return {
    directory: root,
    packageName: manifest.name,
    version: manifest.version ?? "0.0.0",
    entry: await insideFile(root, entryOf(manifest), "the entry"),
    server: await serverOf(root, manifest),
    uiParser: await uiParserOf(root, manifest),
  };
};

const readManifest = async (root: string): Promise<string> => {
  const path = join(root, "package.json");
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new PluginRefusal(`${root} has no package.json.`);
  if (found.size > maxManifestBytes) throw new PluginRefusal(`${path} is larger than 1 MiB.`);
  return readFile(path, "utf8");
};

const parseManifest = (text: string): z.infer<typeof PackageJson> => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new PluginRefusal("package.json is not JSON.", { cause });
  }
  const parsed = PackageJson.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PluginRefusal(
    `package.json: ${issue?.path.join(".") ?? ""} ${clause(issue?.message ?? "is wrong")}.`,
  );
};

/** `exports["."]` (or `exports` itself, where it is the entry), else `main`, else index.js. */
const entryOf = ({ exports, main }: z.infer<typeof PackageJson>): string => {
  const named = exportTarget(exports, ".");
  if (named !== null) return named;
  return main ?? "index.js";
};

const conditions = ["import", "node", "default", "require"];

const exportTarget = (exports: Exports | undefined, name: string): string | null => {
  if (exports === undefined) return null;
  const hasSubpaths =
    typeof exports === "object" &&
    !Array.isArray(exports) &&
    Object.keys(exports).some((key) => key.startsWith("."));
  if (hasSubpaths) return conditionTarget((exports as Record<string, unknown>)[name]);
  return name === "." ? conditionTarget(exports) : null;
};

/** Resolves a condition; takes the first entry of a list that names a file, as Node does. */
const conditionTarget = (target: unknown, depth = 0): string | null => {
  if (typeof target === "string") return target;
  if (typeof target !== "object" || target === null || depth > maxDepth) return null;
  if (Array.isArray(target))
    return target.reduce<string | null>((found, item) => found ?? conditionTarget(item, depth + 1), null);
  for (const condition of conditions) {
    const found = conditionTarget((target as Record<string, unknown>)[condition], depth + 1);
    if (found !== null) return found;
  }
  return null;
};

/** Resolves a file of the package. Rejects a path or link that leads out of it. */
const insideFile = async (root: string, target: string, what: string): Promise<string> => {
  const path = await realpath(join(root, target)).catch(() => null);
  if (isAbsolute(target) || (path !== null && !isInside(root, path)) || !isInside(root, join(root, target))) {
    throw new PluginRefusal(`package.json: ${what} ${target} lies outside the package.`);
  }
  const found = path === null ? null : await stat(path);
  if (path === null || !found?.isFile()) {
    throw new PluginRefusal(`package.json: ${what} ${target} is not a file of the package. Is it built?`);
  }
  return path;
};

const isInside = (root: string, path: string): boolean => {
  const steps = relative(root, path);
  return steps !== "" && steps !== ".." && !steps.startsWith("../") && !isAbsolute(steps);
};

/** The root exports of a package suffice: nobody refuses it for another module that is missing. */
const serverOf = async (root: string, { exports }: z.infer<typeof PackageJson>): Promise<string | null> => {
  const target = exportTarget(exports, "./server");
  return target === null ? null : insideFile(root, target, "the server").catch(() => null);
};

const uiParserOf = async (root: string, manifest: z.infer<typeof PackageJson>): Promise<UiParserFile> => {
  const target = exportTarget(manifest.exports, "./ui-parser");
  if (target === null) return { served: false };
  const version = manifest.boardroom?.uiParser;
  const major = version === undefined ? uiParserMajor : Number(/^(\d+)\.\d+\.\d+$/.exec(version)?.[1]);
  if (major !== uiParserMajor) {
    const note = `Its UI parser uses version ${version} of the contract; this service supports ${uiParserMajor}.x. It is not served.`;
    return { served: false, note };
  }
  const path = await insideFile(root, target, "the UI parser");
  return version === undefined
    ? {
        served: true,
        path,
        note: 'It does not say the contract version of its UI parser ("boardroom": { "uiParser": "1.0.0" }).',
      }
    : { served: true, path };
};
