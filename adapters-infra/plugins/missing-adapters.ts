import { basename, join } from "node:path";
import { builtinPlugins } from "./plugin-loader.ts";
import { registryFile } from "./registry-file.ts";

/** The types that neither come with the service nor are registered in its data directory. */
export const missingAdapters = async (
  dataDir: string,
  types: readonly string[],
): Promise<readonly string[]> => {
  const builtin = (await builtinPlugins()).map(({ directory }) => basename(directory).replaceAll("-", "_"));
  const { entries } = await registryFile(join(dataDir, "adapters", "registry.json")).read();
  const there = new Set([...builtin, ...entries.map(({ type }) => type)]);
  return types.filter((type) => !there.has(type));
};
