import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { OfferedSkill, RunSkills } from "../../ports/agent-adapter.ts";
import type { ModelApi } from "./model-api/scripted-model.ts";
import type { AdapterRunRecord } from "./run-adapter.ts";

/** A skill in a folder of its name. */
export const writeSkill = (
  catalogue: string,
  key: string,
  description = `Knows the ${key}.`,
): OfferedSkill => {
  const path = join(catalogue, key);
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, "SKILL.md"),
    `---\nname: ${key}\ndescription: ${description}\n---\n\n# ${key}\n\nWhat there is to know.\n`,
  );
  return { key, description, path };
};

/** Checks the skills in the model's prompt: none, two, and the one that is left. */
export const expectSkillsOnlyFor = async (
  folder: string,
  api: ModelApi,
  run: (skills: RunSkills) => Promise<AdapterRunRecord>,
): Promise<void> => {
  const catalogue = join(folder, "catalogue");
  const [harbour, tides] = [writeSkill(catalogue, "harbour"), writeSkill(catalogue, "tides")];
  const laidOut = join(folder, "agent-skills", "agent-1");
  const known = async (wanted: readonly OfferedSkill[]) => {
    api.forget();
    const { result } = await run({ wanted, folder: laidOut });
    expect(result.errorMessage).toBeUndefined();
    const bodies = JSON.stringify(api.requests.map(({ body }) => body));
    return [harbour, tides].filter(({ description }) => bodies.includes(description)).map(({ key }) => key);
  };
  expect(await known([])).toEqual([]);
  expect(await known([harbour, tides])).toEqual(["harbour", "tides"]);
  expect(await known([tides])).toEqual(["tides"]);
};
