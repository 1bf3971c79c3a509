import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OfferedSkill } from "../../ports/agent-adapter.ts";

/** A skill as people write it, in a folder of its name. */
export const writeSkill = (shelf: string, key: string, description = `Knows the ${key}.`): OfferedSkill => {
  const path = join(shelf, key);
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, "SKILL.md"),
    `---\nname: ${key}\ndescription: ${description}\n---\n\n# ${key}\n\nWhat there is to know.\n`,
  );
  return { key, description, path };
};
