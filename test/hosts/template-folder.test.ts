import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readTemplateFolder } from "../../adapters-infra/template-folder/read-folder.ts";
import { filesOf } from "../../adapters-infra/template-folder/template-files.ts";
import { writeTemplateFolder } from "../../adapters-infra/template-folder/write-folder.ts";

const folders: string[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "template-"));
  folders.push(folder);
});
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))));

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
};
const refusal = async (): Promise<string> => {
  await write("company.yaml", "format: 1\n");
  return readTemplateFolder(folder).then(
    () => "read",
    (error: Error) => error.message,
  );
};

describe("The folder of a template", () => {
  it("is refused without company.yaml, and in another format", async () => {
    await expect(readTemplateFolder(folder)).rejects.toThrow("The folder has no company.yaml.");
    await write("company.yaml", "format: 2\n");
    await expect(readTemplateFolder(folder)).rejects.toThrow(
      "company.yaml: its format is 2; this version reads 1.",
    );
  });

  it.each([
    ["without fields", "Just text.\n"],
    ["with a list for fields", "---\n- a\n---\n"],
    ["with fields that are no YAML", "---\nname: [a\n---\n"],
    ["with the same field twice", "---\nname: a\nname: b\n---\n"],
    ["with aliases, which could grow without end", "---\na: &a [1]\nb: [*a, *a]\n---\n"],
    ["larger than 1 MiB", `---\nname: a\n---\n${"x".repeat(1024 * 1024)}`],
  ])("is refused with a file %s, by a sentence that names the file", async (_, text) => {
    await write("agents/ada.md", text);
    expect(await refusal()).toMatch(/^agents\/ada\.md\b.*\.$/);
  });

  it("is refused with a link, and nothing is read through it", async () => {
    await write("agents/ada.md", "---\nname: Ada\n---\n");
    await symlink("/etc/passwd", join(folder, "agents", "eve.md"));
    expect(await refusal()).toBe("agents/eve.md isn't a file.");
  });

  it("gives no field to the prototype of objects", async () => {
    await write("agents/ada.md", "---\nname: Ada\n__proto__:\n  polluted: true\n---\n");
    expect(await refusal()).toBe("read");
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined();
  });

  it("is replaced by a later export: records that are gone lose their files, and other files stay", async () => {
    const agent = (key: string) => ({ key, name: key, adapterType: "process", instructions: "Work." });
    await writeTemplateFolder(folder, filesOf({ agents: [agent("ada"), agent("bob")] }));
    await write("agents/README.txt", "Ours.");
    await write("notes.md", "Ours.");
    const { removed } = await writeTemplateFolder(folder, filesOf({ agents: [agent("ada")] }));
    expect(removed).toEqual(["agents/bob.md"]);
    expect((await readTemplateFolder(folder)).agents).toEqual([agent("ada")]);
    expect(await readFile(join(folder, "notes.md"), "utf8")).toBe("Ours.");
  });

  it("is not written among other files, nor through a link in its place", async () => {
    await write("letter.txt", "Ours.");
    await expect(writeTemplateFolder(folder, filesOf({}))).rejects.toThrow("holds no template");
    await write("company.yaml", "format: 1\n");
    await rm(join(folder, "company.yaml"));
    const outside = join(folder, "letter.txt");
    await symlink(outside, join(folder, "company.yaml"));
    await writeTemplateFolder(folder, filesOf({})).catch(() => {});
    expect(await readFile(outside, "utf8")).toBe("Ours.");
  });
});
