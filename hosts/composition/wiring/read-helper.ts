import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkout } from "../data-dir.ts";

/** The bundle of `adapters-infra/runner-helper`, next to this program. */
export const readHelper = (): Promise<string> => {
  const root = checkout();
  const folder = root === null ? fileURLToPath(new URL(".", import.meta.url)) : join(root, "dist");
  return readFile(join(folder, "runner-helper.js"), "utf8");
};
