import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { readText } from "../../adapters-infra/plugins/read-text.ts";
import { ConfigRefusal } from "../../plugins/kit/config.ts";
import { readInstructions } from "../../plugins/kit/instructions.ts";
import { installation } from "../support/installation.ts";
import { aWorkspace } from "../support/workspaces.ts";

const isRoot = process.getuid?.() === 0;
/** A user who neither owns the test's files nor shares their group. */
const agentUser = isRoot ? { uid: 65_533, gid: 65_533 } : null;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "instructions-"));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runner = childProcessRunner({ installation });
const reader =
  (user = agentUser) =>
  async (path: string): Promise<string> => {
    const at = { ...aWorkspace(folder), user };
    const env = { PATH: process.env.PATH ?? "", SERVICE_RUN_ID: "reader" };
    const over = { runId: "reader", env, stop: new AbortController().signal };
    const read = await Effect.runPromise(readText({ processes: runner, workspace: at, ...over }, path));
    if ("refusal" in read) throw new Error(read.refusal);
    return read.text;
  };
const instructions = (path: string | undefined, user = agentUser, text?: string) =>
  readInstructions({ instructions: text, instructionsFilePath: path }, reader(user));
const file = (name: string, mode: number, text = "Be kind.\n"): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const refused = async (path: string, why: RegExp) => {
  const refusal = await instructions(path).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigRefusal);
  expect((refusal as ConfigRefusal).message).toMatch(why);
};

describe("an instructions file that is read for a program", () => {
  it("comes first in the prompt, with its source", async () => {
    const path = file("open.md", 0o644);
    const text = `Be kind.\n\n(These instructions are from ${path}; relative references in them start at ${folder}.)`;
    expect(await instructions(path)).toBe(text);
    expect(await instructions(undefined)).toBeNull();
  });

  it("follows the instructions of the configuration, which need no file", async () => {
    const path = file("after.md", 0o644);
    expect(await instructions(path, agentUser, "You are Ada.\n")).toMatch(/^You are Ada\.\n\nBe kind\.\n/);
    expect(await instructions(undefined, agentUser, "You are Ada.")).toBe("You are Ada.");
    expect(await instructions(undefined, agentUser, " \n")).toBeNull();
  });

  it.runIf(isRoot)("is not read if the agents' user could not read it, wherever a link leads", async () => {
    const key = file("master.key", 0o600);
    const link = join(folder, "instructions.md");
    symlinkSync(key, link);
    const ofGroup = file("of-a-group.md", 0o640);
    for (const path of [key, link, ofGroup]) await refused(path, /agents' user may not read it/);
    chownSync(ofGroup, 0, 65_533);
    expect(await instructions(ofGroup)).toContain("Be kind.");
  });

  it.runIf(isRoot)("is not read in a folder that is closed to the agents' user", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed, { mode: 0o700 });
    const path = file("closed/open.md", 0o644);
    await refused(path, /No such file where the agents' user can see it/);
    const link = join(folder, "way-in.md");
    symlinkSync(path, link);
    await refused(link, /No such file where the agents' user can see it/);
    chmodSync(closed, 0o755);
    expect(await instructions(link)).toContain("Be kind.");
  });

  it("is a file: what stands in its place is refused, and holds up nobody", async () => {
    execFileSync("mkfifo", [join(folder, "pipe.md")]);
    for (const path of ["/dev/zero", "/dev/null", tmpdir(), join(folder, "pipe.md")])
      await refused(path, /Not a file/);
    await refused("/no/such/file", /cannot be read: \/no\/such\/file\. No such file/);
  });

  it("is at most 512 KiB", async () => {
    await refused(file("long.md", 0o644, "x".repeat(512 * 1024 + 1)), /Longer than 512 KiB/);
    expect(await instructions(file("full.md", 0o644, "x".repeat(512 * 1024)))).toContain("xxx");
  });
});
