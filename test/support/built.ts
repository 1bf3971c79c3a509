import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const sources = [
  ...["adapters-infra", "core", "hosts", "plugins", "ports", "scripts", "templates"],
  ...["package.json", "package-lock.json", "tsconfig.json"],
];

/** The latest change of a file below, or of what a folder contains. */
const changedMs = (path: string): number => {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const within = readdirSync(path).filter((name) => name !== "node_modules");
  return within.reduce((latest, name) => Math.max(latest, changedMs(join(path, name))), entry.mtimeMs);
};

const isBuilt = (): boolean => {
  const built = statSync(join(root, "node_modules/.cache/boardroom/built"), { throwIfNoEntry: false });
  if (built === undefined || !existsSync(join(root, "dist/boardroom.js"))) return false;
  return sources.every((path) => changedMs(join(root, path)) < built.mtimeMs);
};

/**
 * Builds the program before any test, so that tests start the present sources. Not again where none has changed: that takes
 * five seconds of processor time, and moves files away from a service that another run of tests has started.
 */
export default (): void => {
  if (isBuilt()) return;
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
};
