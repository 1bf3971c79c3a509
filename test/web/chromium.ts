import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const path = "/usr/bin/chromium";
const headlessPath = "/usr/bin/chromium-headless-shell";

/**
 * Finds Debian's Chromium, or installs it if allowed. null, with a message, if it is unavailable: the browser tests are
 * skipped then. `.ci/run` always has it.
 */
const findChromium = (): string | null => {
  if (existsSync(path)) return path;
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const options = { env, stdio: "ignore" } as const;
    // Two test files may install it at the same time.
    const packages = ["chromium", "chromium-headless-shell", "fonts-dejavu-core"];
    const wait = ["-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
    execFileSync("apt-get", [...wait, "update"], options);
    execFileSync("apt-get", [...wait, "install", "-y", "--no-install-recommends", ...packages], options);
  } catch {
    // The message below reports a failure.
  }
  if (existsSync(path)) return path;
  if (process.env.CI)
    throw new Error(`${path} is missing, and the journeys through the board page must run here.`);
  process.stderr.write(
    `\nThe journeys through the board page do not run: ${path} is missing (apt install chromium).\n`,
  );
  return null;
};

export const chromiumPath = findChromium();

/** The same engine without the parts of a desktop, for pages that need none: a third less processor time. */
export const headlessChromiumPath = existsSync(headlessPath) ? headlessPath : chromiumPath;
