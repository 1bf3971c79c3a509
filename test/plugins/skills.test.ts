import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { layOutFiles } from "../../adapters-infra/local/lay-out-files.ts";
import { frontMatter } from "../../adapters-infra/local/skill-catalogue.ts";
import { configVariable } from "../../plugins/kit/opencode-variable.ts";
import { skillFiles, skillsPrompt } from "../../plugins/kit/skills.ts";
import type { OfferedSkill } from "../../ports/agent-adapter.ts";
import { writeSkill } from "../support/skills.ts";

let root: string;
let folder: string;
const notes: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skills-"));
  folder = join(root, "agent-skills", "agent-1");
  notes.splice(0);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const skill = (key: string) => writeSkill(join(root, "catalogue"), key);
const layOut = async (...wanted: OfferedSkill[]) => {
  const skills = skillFiles({ wanted, folder });
  notes.push(...(await layOutFiles(skills?.files ?? [], folder)));
  return skills?.folder ?? null;
};
const skillsFolder = () => join(folder, ".claude", "skills");
const laidOut = () => readdirSync(skillsFolder()).sort();

describe("laying out the skills of a run", () => {
  it("makes a folder only if the run has skills", async () => {
    expect(await layOut()).toBeNull();
    expect(skillFiles(undefined)).toBeNull();
    expect(readdirSync(root)).toEqual([]);
  });

  it("links the requested ones, and removes those of earlier runs", async () => {
    expect(await layOut(skill("harbour"), skill("tides"))).toBe(folder);
    expect(laidOut()).toEqual(["harbour", "tides"]);
    expect(readFileSync(join(skillsFolder(), "tides", "SKILL.md"), "utf8")).toContain("name: tides");
    await layOut(skill("tides"), skill("winds"));
    expect(laidOut()).toEqual(["tides", "winds"]);
    expect(readdirSync(join(root, "catalogue")).sort()).toEqual(["harbour", "tides", "winds"]);
  });

  it("leaves foreign files alone, and reports conflicts", async () => {
    await layOut(skill("tides"));
    mkdirSync(join(skillsFolder(), "theirs"));
    mkdirSync(join(skillsFolder(), "winds"));
    await layOut(skill("winds"), skill("harbour"));
    expect(laidOut()).toEqual(["harbour", "theirs", "winds"]);
    expect(lstatSync(join(skillsFolder(), "winds")).isSymbolicLink()).toBe(false);
    expect(notes.join("")).toContain(`in the way of ${join(root, "catalogue", "winds")}`);
  });

  it("follows no link out of the folder", async () => {
    const outside = join(root, "outside");
    mkdirSync(join(outside, "skills"), { recursive: true });
    symlinkSync("/", join(outside, "skills", "kept"));
    mkdirSync(folder, { recursive: true });
    symlinkSync(outside, join(folder, ".claude"));
    await expect(layOut(skill("tides"))).rejects.toThrow(/link to somewhere else/);
    expect(readdirSync(join(outside, "skills"))).toEqual(["kept"]);
  });

  it("can be done by several runs of an agent at once", async () => {
    const all = ["a", "b", "c", "d"].map(skill);
    await Promise.all(Array.from({ length: 8 }, () => layOut(...all)));
    expect(laidOut()).toEqual(["a", "b", "c", "d"]);
  });
});

describe("passing skills to a program", () => {
  it("codex by name, use and file, in front of its prompt", () => {
    const tides = skill("tides");
    expect(skillsPrompt(undefined)).toBeNull();
    expect(skillsPrompt({ wanted: [], folder })).toBeNull();
    expect(skillsPrompt({ wanted: [tides], folder })).toContain(
      `- tides: ${tides.description} (file: ${skillsFolder()}/tides/SKILL.md)`,
    );
  });

  it.each([
    [undefined, { skills: { paths: ["/laid/.claude/skills"] } }],
    ["{broken", { skills: { paths: ["/laid/.claude/skills"] } }],
    [
      '{"model":"a/b","skills":{"paths":["/mine"],"urls":["u"]}, /* mine */ }',
      { model: "a/b", skills: { paths: ["/mine", "/laid/.claude/skills"], urls: ["u"] } },
    ],
  ])("opencode by its configuration, with the user's own in %j", (content, expected) => {
    const env: Record<string, string> = content === undefined ? {} : { OPENCODE_CONFIG_CONTENT: content };
    expect(configVariable({ skills: null, rules: null }, null, env)).toEqual({});
    const laid = { skills: "/laid", rules: null };
    expect(JSON.parse(configVariable(laid, null, env).OPENCODE_CONFIG_CONTENT ?? "")).toEqual(expected);
  });
});

describe("the front matter of a skill", () => {
  it.each([
    [
      "plain texts",
      "---\nname: a\ndescription: Does it: well.\n---\nbody",
      { name: "a", description: "Does it: well." },
    ],
    [
      "quoted texts",
      `---\nname: "a"\ndescription: 'it''s "so"'\n---\n`,
      { name: "a", description: `it's "so"` },
    ],
    [
      "folded texts",
      "---\nname: a\ndescription: >-\n  one\n  two\nother: x\n---\n",
      { name: "a", description: "one two", other: "x" },
    ],
    [
      "lines that end as in Windows",
      "\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\n",
      { name: "a", description: "b" },
    ],
    ["nested things", "---\nname: a\nmetadata:\n  name: b\n---\n", { name: "a", metadata: "name: b" }],
    ["none", "# Title\nname: a\n", {}],
    ["one without an end", "---\nname: a\n", {}],
  ])("is read from %s", (_what, text, expected) => {
    expect(frontMatter(text)).toEqual(expected);
  });
});
