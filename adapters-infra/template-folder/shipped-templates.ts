import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import type { ShippedTemplate, ShippedTemplates } from "../../ports/shipped-templates.ts";
import { readTemplateFolder } from "./read-folder.ts";

const folder = (): string => {
  const built = fileURLToPath(new URL("./templates/", import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL("../../templates/", import.meta.url));
};

const read = async (): Promise<readonly ShippedTemplate[]> => {
  const keys = (await readdir(folder())).toSorted();
  return Promise.all(
    keys.map(async (key) => ({ key, template: await readTemplateFolder(join(folder(), key)) })),
  );
};

let templates: Promise<readonly ShippedTemplate[]> | null = null;

/** The templates of the package; they are read once. */
export const shippedTemplates: ShippedTemplates = {
  list: () =>
    Effect.promise(() => {
      templates ??= read();
      return templates;
    }),
};
