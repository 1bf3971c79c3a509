import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspect, type Wanted } from "../../plugins/kit/inspect.ts";
import { createServerAdapter } from "../../plugins/process/src/server.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { probeContext } from "../support/run-adapter.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "inspect-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As on a machine without a sandbox: the program is a plain child. */
const inspectWith = (wanted: Wanted, cwd = folder) =>
  inspect(probeContext({ adapter: createServerAdapter(), cwd, env: { PATH: "relative:/bin" } }), wanted);
const text = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

describe("inspecting the environment of an agent's programs", () => {
  it("reads texts as they are, whatever their lines look like", async () => {
    const forged = text("forged", "\ntext 0\n|more\npresent 0\nskill 0 x\n\nlast");
    const empty = text("empty", "");
    const {
      texts,
      present,
      skills,
      problem,
      leftOut: left,
    } = await inspectWith({
      texts: [forged, empty, join(folder, "missing")],
    });
    expect(Object.fromEntries(texts)).toEqual({
      [forged]: "\ntext 0\n|more\npresent 0\nskill 0 x\n\nlast",
      [empty]: "",
    });
    expect({ present: present.size, skills: skills.size, problem, left }).toEqual({
      present: 0,
      skills: 0,
      problem: null,
      left: [],
    });
  });

  it("leaves out what is no file or too long, and says so", async () => {
    const [pipe, endless, long, folderItself] = ["pipe", "endless", "long", "folder"].map((name) =>
      join(folder, name),
    );
    execFileSync("mkfifo", [pipe!]);
    symlinkSync("/dev/zero", endless!);
    writeFileSync(long!, "");
    truncateSync(long!, 2 ** 32);
    mkdirSync(folderItself!);
    const { texts, leftOut: left } = await inspectWith({ texts: [pipe!, endless!, long!, folderItself!] });
    expect(texts.size).toBe(0);
    expect(left).toEqual([
      `${pipe} is no file, and is not read.`,
      `${endless} is no file, and is not read.`,
      `${folderItself} is no file, and is not read.`,
      `${long} is longer than 256 KiB, and is not read.`,
    ]);
  });

  it("keeps a text of 256 KiB, without its last line break", async () => {
    const full = text("full", `${"é".repeat(128 * 1024 - 1)}x\n`);
    expect((await inspectWith({ texts: [full] })).texts.get(full)).toBe(`${"é".repeat(128 * 1024 - 1)}x`);
  });

  it("finds a command as the system does, also where the working directory is missing", async () => {
    expect((await inspectWith({ command: "sh" })).command).toBe("/bin/sh");
    expect(await inspectWith({ command: "sh" }, join(folder, "nowhere"))).toMatchObject({
      problem: null,
      cwd: "missing",
      command: "/bin/sh",
    });
    expect(await inspectWith({ command: "none" }, text("no-folder", ""))).toMatchObject({
      cwd: "other",
      command: null,
    });
  });

  it("says that it took too long", async () => {
    const context = probeContext({
      adapter: createServerAdapter(),
      cwd: folder,
      runProcess: async () => ({ ...nothingHappened, timedOut: true }),
    });
    expect((await inspect(context, {})).problem).toBe("looking there took longer than 20 seconds.");
  });
});
