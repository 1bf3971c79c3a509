import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Candidate } from "./candidate.ts";

/** Names the files that a typed path can mean; folders end with a slash. */
export const filesFor = async (typed: string): Promise<readonly Candidate[]> => {
  const lead = typed.endsWith("/") ? typed : typed.slice(0, typed.length - basename(typed).length);
  const folder = lead.startsWith("~/") ? join(homedir(), lead.slice(2)) : lead === "" ? "." : lead;
  const start = typed.slice(lead.length);
  const found = await readdir(typed.startsWith("/") && lead === "" ? dirname(typed) : folder, {
    withFileTypes: true,
  }).catch(() => []);
  return found
    .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
    .filter(({ name }) => !/[\n\t\r]/.test(name))
    .map((entry) => ({ value: `${lead}${entry.name}${entry.isDirectory() ? "/" : ""}`, description: "" }));
};
