import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigRefusal } from "./config.ts";

const unreadable = (path: string) =>
  new ConfigRefusal("instructionsFilePath", `names a file that cannot be read: ${path}.`);

/** @throws ConfigRefusal */
export const requireInstructions = async (path: string | undefined): Promise<void> => {
  if (path === undefined) return;
  await access(path, constants.R_OK).catch(() => {
    throw unreadable(path);
  });
};

/**
 * The file's text for the front of a prompt, for programs that take no file for their system prompt.
 * @throws ConfigRefusal
 */
export const readInstructions = async (path: string | undefined): Promise<string | null> => {
  if (path === undefined) return null;
  const text = await readFile(path, "utf8").catch(() => {
    throw unreadable(path);
  });
  return `${text.trimEnd()}\n\n(These instructions are from ${path}; relative references in them start at ${dirname(path)}.)`;
};
