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

/** Whether no source of the product, nor one of `more`, has changed since a file was made. */
export const isNewerThanSources = (path: string, more: readonly string[] = []): boolean => {
  const made = statSync(path, { throwIfNoEntry: false });
  return (
    made !== undefined && [...sources, ...more].every((each) => changedMs(join(root, each)) < made.mtimeMs)
  );
};

const isBuilt = (): boolean =>
  existsSync(join(root, "dist/boardroom.js")) &&
  isNewerThanSources(join(root, "node_modules/.cache/boardroom/built"));

/**
 * Builds the program before any test, so that tests start the present sources. Not again where none has changed: that takes
 * five seconds of processor time, and moves files away from a service that another run of tests has started.
 */
export default (): void => {
  if (isBuilt()) return;
  execFileSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
};
