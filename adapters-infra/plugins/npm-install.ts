import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Detach } from "../../ports/sandbox.ts";
import { oneLine } from "./plain-text.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Integrity of the archive, as npm checked it. */
  readonly integrity: string;
  readonly directory: string;
}

const limitMs = 120_000;

const namePattern = "(?:@[a-z0-9~][a-z0-9._~-]*\\/)?[a-z0-9~][a-z0-9._~-]*";
/** `name` or `@scope/name`, each with an optional `@version`: no folder, address or option. */
const specification = new RegExp(`^(${namePattern})(?:@([0-9A-Za-z][0-9A-Za-z.+-]*))?$`);
const nameAlone = new RegExp(`^${namePattern}$`);

export const isPackageName = (name: string): boolean => name.length <= 214 && nameAlone.test(name);

/** @throws PluginRefusal */
const readSpecification = (text: string): { readonly name: string; readonly version: string | null } => {
  const found = text.length <= 300 ? specification.exec(text) : null;
  if (found === null || !isPackageName(found[1] ?? ""))
    throw new PluginRefusal("packageName must be the name of a package, or name@version.");
  return { name: found[1] ?? "", version: found[2] ?? null };
};

/** The part of the service's environment that npm needs to find its registry; no secrets. */
const npmVariables = /^(?:PATH|HOME|LANG|TMPDIR|npm_config_.+|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** How npm's process is started. */
export interface NpmStart {
  /** Marks it, so that a later service finds it. */
  readonly mark: string;
  /** So that it inherits nothing of the service; null: it does. */
  readonly detach: Detach | null;
}

/**
 * Installs a package and its dependencies into an empty folder. Runs no scripts of packages. Takes everything from
 * package registries, with its integrity.
 * @throws PluginRefusal
 */
export const npmInstall = async (
  packageName: string,
  folder: string,
  start: NpmStart,
  interrupted: AbortSignal,
): Promise<NpmPackage> => {
  const { name, version } = readSpecification(packageName);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  await npm(
    folder,
    [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--omit=dev",
      "--legacy-peer-deps",
      "--save-exact",
      "--package-lock=true",
      "--global=false",
      "--location=project",
      "--install-links=true",
      // A caller waits for the result.
      "--fetch-retries=1",
      "--fetch-retry-mintimeout=1000",
      "--fetch-retry-maxtimeout=5000",
      version === null ? name : `${name}@${version}`,
    ],
    start,
    interrupted,
  );
  const installed = await lockedPackages(folder);
  for (const { path, resolved = "", integrity, link, dependencies, optionalDependencies } of installed) {
    const asked = Object.entries({ ...optionalDependencies, ...dependencies }).find(
      ([, from]) => !fromRegistry.test(from),
    );
    const [what, where] = asked ?? [path.replace(/^.*node_modules\//, ""), resolved];
    if (
      asked !== undefined ||
      link === true ||
      integrity === undefined ||
      /^(?!https?:)[^/]+:/.test(resolved)
    )
      throw new PluginRefusal(
        `${name} needs ${what} from ${oneLine(where, 200) || "elsewhere"}. Adapters and what they depend on come from a package registry, with their integrity.`,
      );
  }
  const own = installed.find(({ path }) => path === `node_modules/${name}`);
  if (own?.version === undefined || own.integrity === undefined)
    throw new PluginRefusal(`npm installed ${name} without saying its version and integrity.`);
  return {
    name,
    version: own.version,
    integrity: own.integrity,
    directory: join(folder, "node_modules", name),
  };
};

/** A version range or an alias of another package; no address and no folder. */
const fromRegistry = /^(?:npm:.+|[^:/]*)$/;

const specs = z.record(z.string(), z.string()).optional();
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z
        .string()
        .regex(/^[\w.+-]{1,100}$/)
        .optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
      dependencies: specs,
      optionalDependencies: specs,
    }),
  ),
});

/** Reads what npm installed in the folder, packages bundled in an archive included. */
const lockedPackages = async (folder: string) => {
  const text = await readFile(join(folder, "package-lock.json"), "utf8").catch(() => "null");
  const lock = Lock.safeParse(JSON.parse(text));
  if (!lock.success) throw new PluginRefusal("npm has not said what it installed.");
  return Object.entries(lock.data.packages)
    .filter(([path, { inBundle }]) => path !== "" && inBundle !== true)
    .map(([path, locked]) => ({ path, ...locked }));
};

const npm = (
  cwd: string,
  args: readonly string[],
  { mark, detach }: NpmStart,
  interrupted: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const passed = Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && npmVariables.test(name) ? [[name, value] as const] : [],
    );
    const env = { ...Object.fromEntries(passed), SERVICE_RUN_ID: mark };
    const program = { command: "npm", args, env };
    const start = detach?.(program) ?? program;
    const child = spawn(start.command, start.args, {
      cwd,
      env: start.env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    let output = "";
    const end = (why: string) => {
      output = why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended; a program that it left still holds its stderr.
      }
    };
    const timer = setTimeout(() => end(`it took longer than ${limitMs / 1000} seconds`), limitMs);
    const stop = () => end("it was stopped");
    if (interrupted.aborted) stop();
    interrupted.addEventListener("abort", stop, { once: true });
    child.on("exit", () => interrupted.removeEventListener("abort", stop));
    child.stderr.on("data", (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-4000);
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new PluginRefusal(`npm could not be started: ${error.message}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve();
      const lines = output
        .split("\n")
        .filter((line) => /\S/.test(line) && !/^npm warn|complete log|debug-\d/i.test(line));
      reject(new PluginRefusal(`npm could not install it: ${oneLine(lines.slice(0, 4).join(" "), 500)}`));
    });
  });
