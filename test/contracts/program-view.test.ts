import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { detectSandbox } from "../../adapters-infra/sandbox/detect.ts";
import { programViews } from "../../adapters-infra/sandbox/program-view.ts";
import type { GrantedPath } from "../../core/model/agents/named-paths.ts";
import { type EnclosedStart, type ProgramView, type RunLimits, ViewRefused } from "../../ports/sandbox.ts";
import { aWorkspace } from "../support/workspaces.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "view-"));
  for (const name of ["data/workspaces/ada", "data/secret", "shared/project", "other"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "shared/project/note"), "of the project");
  writeFileSync(join(folder, "data/secret/note"), "of the service");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const views = () => programViews({ dataDir: join(folder, "data"), shared: [], listed: [], commands: [] });
const env = { PATH: "/usr/bin:/bin" };
const workspace = (granted: readonly string[] = []) =>
  aWorkspace(join(folder, "data/workspaces/ada"), {
    env,
    granted: granted.map((name): GrantedPath => {
      const path = join(folder, name);
      return { path, real: path, access: "write" };
    }),
  });
const viewOf = (cwd: string, granted: readonly string[]) =>
  views().viewOf({ workspace: workspace(granted), cwd: join(folder, cwd), env, command: "cat", reads: [] });

const sandboxHere = async (limits: Partial<RunLimits> = {}) => {
  const { sandbox } = await detectSandbox({
    mode: "auto",
    dataDir: join(folder, "data"),
    configuredUsers: null,
    views: views(),
    limits: { processes: null, openFiles: 1_024, fileBytes: 1024 ** 2, tmpBytes: null, ...limits },
  });
  return sandbox!;
};
const outputOf = ({ command, args, env }: EnclosedStart): string =>
  execFileSync(command, [...args], { env: { ...env }, stdio: "pipe" }).toString();

const sandboxed = async (view: ProgramView, cwd: string) => {
  const sandbox = await sandboxHere();
  const start = sandbox.enclose({ command: "/bin/cat", args: ["note"], cwd, env, user: null, view });
  return () => outputOf(start);
};

describe("The view of a run", () => {
  it("ends the program where a folder was replaced after it was decided", async () => {
    const cwd = join(folder, "shared/project");
    const view = viewOf("shared/project", ["shared/project"]) as ProgramView;
    const start = await sandboxed(view, cwd);
    expect(start()).toBe("of the project");
    renameSync(cwd, join(folder, "shared/aside"));
    symlinkSync(join(folder, "data/secret"), cwd);
    expect(start).toThrow(/replaced while the run started/);
    rmSync(cwd);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "note"), "of another");
    expect(start).toThrow(/replaced while the run started/);
  });

  it("puts no value of a variable on a command line, and gives each to the program under its name", async () => {
    const sandbox = await sandboxHere();
    const given = {
      ...env,
      TOKEN: "canary 'a\" $b",
      NPM_CONFIG__AUTH: "canary $(id) `id`",
      LD_LIBRARY_PATH: "/canary",
      GIT_CONFIG_COUNT: "canary",
      SHELLOPTS: "canary",
      IFS: "c",
    };
    const cwd = join(folder, "data/workspaces/ada");
    const view = viewOf("data/workspaces/ada", []) as ProgramView;
    const program = { command: "/usr/bin/env", args: ["-0"], cwd, env: given, user: null, view };
    const start = sandbox.enclose(program);
    expect(start.args.join("\n")).not.toContain("canary");
    const seen = outputOf(start);
    const got = Object.fromEntries(seen.split("\0").map((line) => line.split(/=(.*)/s)));
    expect(got).toMatchObject(given);
    expect(Object.keys(got).filter((name) => name.startsWith("BOARDROOM_"))).toEqual([]);
  });

  it("has the limits of a run, and with a limit of memory that, too", async () => {
    const sandbox = await sandboxHere({ processes: 4_000, openFiles: 900, fileBytes: 2 ** 33 });
    const cwd = join(folder, "data/workspaces/ada");
    const view = viewOf("data/workspaces/ada", []) as ProgramView;
    const program = { command: "/bin/cat", args: ["/proc/self/limits"], cwd, env, user: null, view };
    const limitsOf = (addressSpaceBytes?: number) =>
      Object.fromEntries(
        outputOf(sandbox.enclose({ ...program, ...(addressSpaceBytes && { addressSpaceBytes }) }))
          .split("\n")
          .map((line) => /^Max (.+?) {2,}(\S+) +(\S+)/.exec(line))
          .filter((found) => found !== null)
          .map(([, name, soft, hard]) => [name, `${soft} ${hard}`]),
      );
    expect(limitsOf(2 ** 30)).toMatchObject({
      processes: "4000 4000",
      "open files": "900 900",
      "file size": `${2 ** 33} ${2 ** 33}`,
      "core file size": "0 0",
      "address space": `${2 ** 30} ${2 ** 30}`,
    });
    expect(limitsOf()).toMatchObject({ "open files": "900 900", "address space": "unlimited unlimited" });
  });

  it("has no path that leads elsewhere than when it was granted", () => {
    rmSync(join(folder, "shared/project"), { recursive: true });
    symlinkSync(join(folder, "other"), join(folder, "shared/project"));
    expect(viewOf("shared/project", ["shared/project"])).toBeInstanceOf(ViewRefused);
  });

  it("has a granted path that is not there as an absent one", () => {
    const view = viewOf("data/workspaces/ada", ["gone"]) as ProgramView;
    expect(view.locate(join(folder, "gone/file"))).toBe(join(folder, "gone/file"));
    expect(view.roots.map(({ path }) => path)).not.toContain(join(folder, "gone"));
  });

  it.each([
    ["data", "lies in the data directory"],
    ["data/workspaces", "lies in the data directory"],
    ["data/workspaces/ada/../bob", "lies in the data directory"],
    ["other", "An instance admin shows it"],
    ["nowhere", "An instance admin shows it"],
  ])("says why %s is hidden, whether or not it exists", (name, sentence) => {
    const view = viewOf("data/workspaces/ada", []) as ProgramView;
    expect(view.whyHidden(`${folder}/${name}`)).toContain(sentence);
    for (const path of [`${folder}/data/workspaces/ada/x`, "/usr/bin/env", "/dev/null", "/proc/self/fd/0"])
      expect(view.whyHidden(path)).toBeNull();
  });
});
