import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigRefusal } from "../../plugins/kit/config.ts";
import { readInstructions } from "../../plugins/kit/instructions.ts";

let folder: string;
/** A user who neither owns the test's files nor shares their group. */
const agentUser = { uid: 65_533, gid: 65_533 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "instructions-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const file = async (name: string, mode: number, text = "Be kind.\n"): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
};
const refused = (path: string, user?: typeof agentUser) =>
  expect(readInstructions(path, user)).rejects.toThrow(ConfigRefusal);

describe("an instructions file that the service reads for a program", () => {
  it("comes first in the prompt, with its source", async () => {
    const path = await file("open.md", 0o644);
    const text = `Be kind.\n\n(These instructions are from ${path}; relative references in them start at ${folder}.)`;
    expect(await readInstructions(path, undefined)).toBe(text);
    expect(await readInstructions(path, agentUser)).toBe(text);
    expect(await readInstructions(undefined, agentUser)).toBeNull();
  });

  it("is not read if the agents' user could not read it, wherever a link leads", async () => {
    const key = await file("master.key", 0o600);
    const link = join(folder, "instructions.md");
    await symlink(key, link);
    // Without users of their own, programs run as the service, and the sandbox hides its keys from them.
    await refused(key);
    await refused(link);
    await refused(key, agentUser);
    await refused(link, agentUser);
    await refused(await file("of-a-group.md", 0o640), agentUser);
    const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    expect(await readInstructions(key, { uid, gid: agentUser.gid })).toContain("Be kind.");
    expect(await readInstructions(join(folder, "of-a-group.md"), { uid: agentUser.uid, gid })).toContain(
      "Be kind.",
    );
  });

  it("is not read in a folder that is closed to the agents' user", async () => {
    const closed = join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    const path = await file("closed/open.md", 0o644);
    await refused(path, agentUser);
    const link = join(folder, "way-in.md");
    await symlink(path, link);
    await refused(link, agentUser);
    await chmod(closed, 0o755);
    expect(await readInstructions(link, agentUser)).toContain("Be kind.");
  });

  it.each(["/dev/zero", "/dev/null", "/no/such/file", tmpdir()])("is a text file: %s is refused", (path) =>
    refused(path),
  );

  it("is at most 512 KiB", async () => {
    await refused(await file("long.md", 0o644, "x".repeat(512 * 1024 + 1)));
    expect(await readInstructions(await file("full.md", 0o644, "x".repeat(512 * 1024)), agentUser)).toContain(
      "xxx",
    );
  });
});
