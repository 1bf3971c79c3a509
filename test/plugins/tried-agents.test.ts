import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { presetNames, presets } from "../../plugins/kit/acp/presets.ts";
import { realClis } from "../support/real-clis.ts";

// The README says which agents run here: those that the tests run, with the versions that they pin.

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const pinned = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(read(`test/${folder}/package.json`)).dependencies;

/** The cells of the README's table by program. */
const table = new Map(
  read("README.md")
    .split("## Which agents it runs")[1]!
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .slice(1)
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, program = "", own = "", acp = ""]) => [program, { own, acp }]),
);
const cell = ([name, version]: readonly [string, string]) => `\`${name}\` ${version}`;
/** The pin of the package that installs a preset. */
const pinOf = (folder: string, name: (typeof presetNames)[number]) =>
  Object.entries(pinned(folder)).find(([pack]) => presets[name].installHint.includes(` ${pack}\``));
const named = presetNames.filter((name) => name !== "custom");

describe("the README's list of agents", () => {
  it("has each program that is known by name, in the version with which it is tried over ACP", () => {
    expect([...table.keys()].sort()).toEqual([...named].sort());
    for (const name of named) expect(table.get(name)?.acp).toBe(cell(pinOf("acp", name)!));
    const tried = [...read("test/acp/agents.test.ts").matchAll(/^ {4}name: "(\w+)",$/gm)].map(
      ([, name]) => name,
    );
    expect(tried.sort()).toEqual([...named].sort());
  });

  it("has those that are tried with adapters of their own, in their versions", () => {
    const own = [...table].filter(([, { own }]) => own !== "");
    expect(own.map(([program]) => program)).toEqual(realClis.map(({ command }) => command));
    expect(own.map(([, { own }]) => own)).toEqual(Object.entries(pinned("real-clis")).map(cell));
  });
});
