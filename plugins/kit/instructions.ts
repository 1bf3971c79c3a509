import { dirname } from "node:path";
import type { ExecuteContext } from "../../ports/agent-adapter.ts";
import { ConfigRefusal } from "./config.ts";

/** The texts that an agent reads in every run: one of its configuration, and a file of its machine. */
export interface Instructions {
  readonly instructions: string | undefined;
  readonly instructionsFilePath: string | undefined;
}

/**
 * Returns the instructions as one text, that of the file last; null if it has none.
 * @throws ConfigRefusal
 */
export const readInstructions = async (
  { instructions, instructionsFilePath }: Instructions,
  readText: ExecuteContext["readText"],
): Promise<string | null> => {
  const texts = [instructions?.trim() ?? "", await textOfFile(instructionsFilePath, readText)];
  return texts.filter((text) => text !== "").join("\n\n") || null;
};

/** The text of the file for a program, which may run on another machine; empty where none is named. */
const textOfFile = async (
  path: string | undefined,
  readText: ExecuteContext["readText"],
): Promise<string> => {
  if (path === undefined) return "";
  const text = await readText(path).catch((error: Error) => {
    throw new ConfigRefusal(
      "instructionsFilePath",
      `names a file that cannot be read: ${path}. ${error.message}`,
    );
  });
  return `${text.trimEnd()}\n\n(These instructions are from ${path}; relative references in them start at ${dirname(path)}.)`;
};
