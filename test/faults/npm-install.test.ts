import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { npmInstall } from "../../adapters-infra/plugins/npm-install.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "npm-install-"));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Installs with a script in place of npm. */
const installBy = (script: string, interrupted: AbortSignal): Promise<string> => {
  const npm = join(folder, "npm");
  writeFileSync(npm, `#!/bin/sh\n${script}\n`);
  chmodSync(npm, 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  return npmInstall(
    "lighthouse",
    join(folder, "package"),
    { mark: "a-mark", detach: null },
    interrupted,
  ).then(
    () => "installed",
    (error: Error) => error.message,
  );
};

describe.skipIf(process.platform !== "linux")("an installation by npm", () => {
  it("ends at once where it was stopped before npm started", async () => {
    expect(await installBy("exec sleep 100000", AbortSignal.abort())).toContain("it was stopped");
  });

  it("outlives its limit where npm has ended and left a program that holds its stderr", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const ended = join(folder, "ended");
    const output = installBy(
      `setsid sh -c 'sleep 1; touch "${ended}"; sleep 2' &\nexit 0`,
      new AbortController().signal,
    );
    // It polls by the real timers.
    await vi.waitFor(() => expect(existsSync(ended)).toBe(true), 60_000);
    expect(() => vi.advanceTimersByTime(120_000)).not.toThrow();
    expect(await output).toBe("npm has not said what it installed.");
  });
});
