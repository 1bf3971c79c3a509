import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PluginRefusal } from "./plugin-manifest.ts";

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Of the archive, as npm checked it. */
  readonly integrity: string;
  readonly directory: string;
}

const limitMs = 120_000;

/** `name`, `@scope/name`, either with `@version`: nothing that names a folder, an address or an option. */
const specification =
  /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([0-9A-Za-z][0-9A-Za-z.+-]*))?$/;

/** @throws PluginRefusal */
export const readSpecification = (
  text: string,
): { readonly name: string; readonly version: string | null } => {
  const found = text.length <= 300 ? specification.exec(text) : null;
  if (found === null) throw new PluginRefusal("packageName must be the name of a package, or name@version.");
  return { name: found[1] ?? "", version: found[2] ?? null };
};

/** Of the service's environment: what npm needs to find its registry, and none of the service's secrets. */
const npmVariables = /^(?:PATH|HOME|LANG|TMPDIR|npm_config_.+|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS)$/i;

/**
 * Installs a package with what it depends on into an empty folder. Scripts of packages do not run.
 * @throws PluginRefusal
 */
export const npmInstall = async (packageName: string, folder: string): Promise<NpmPackage> => {
  const { name, version } = readSpecification(packageName);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  await npm(folder, [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--omit=dev",
    "--save-exact",
    "--package-lock=true",
    "--global=false",
    version === null ? name : `${name}@${version}`,
  ]);
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    packages?: Record<string, { version?: string; integrity?: string }>;
  };
  const installed = lock.packages?.[`node_modules/${name}`];
  if (installed?.version === undefined || installed.integrity === undefined)
    throw new PluginRefusal(`npm installed ${name} without saying its version and integrity.`);
  return {
    name,
    version: installed.version,
    integrity: installed.integrity,
    directory: join(folder, "node_modules", name),
  };
};

const npm = (cwd: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => npmVariables.test(name)));
    const child = spawn("npm", args, { cwd, env, stdio: ["ignore", "ignore", "pipe"], detached: true });
    let said = "";
    const timer = setTimeout(() => {
      said = `it took longer than ${limitMs / 1000} seconds`;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, limitMs);
    child.stderr.on("data", (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-4000);
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new PluginRefusal(`npm could not be started: ${error.message}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) return resolve();
      const lines = said
        .split("\n")
        .filter((line) => /\S/.test(line) && !/^npm warn|complete log|debug-\d/i.test(line));
      reject(new PluginRefusal(`npm could not install it: ${lines.slice(0, 4).join(" ").slice(0, 500)}`));
    });
  });
