import { dirname } from "node:path";
import type { ExecuteContext } from "../../ports/agent-adapter.ts";
import { ConfigRefusal } from "./config.ts";

/**
 * Returns the text of the file for a program, which may run on another machine.
 * @throws ConfigRefusal
 */
export const readInstructions = async (
  path: string | undefined,
  readText: ExecuteContext["readText"],
): Promise<string | null> => {
  if (path === undefined) return null;
  const text = await readText(path).catch((error: Error) => {
    throw new ConfigRefusal(
      "instructionsFilePath",
      `names a file that cannot be read: ${path}. ${error.message}`,
    );
  });
  return `${text.trimEnd()}\n\n(These instructions are from ${path}; relative references in them start at ${dirname(path)}.)`;
};
