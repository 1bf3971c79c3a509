import type { PermissionAnswer, PermissionRequest } from "../../ports/agent-adapter.ts";
import { ConfigRefusal, optionalText } from "./config.ts";
import { asObject, type Json } from "./json.ts";

/** The rule for an agent's use of tools, with one meaning over all adapters that can ask. */
export type Policy = "allow" | "allow_edits" | "ask" | "deny";

export const policies: readonly Policy[] = ["allow", "allow_edits", "ask", "deny"];

/** @throws ConfigRefusal */
export const policyOf = (config: Readonly<Record<string, unknown>>, otherwise: Policy): Policy => {
  const setting = optionalText(config, "permissions") ?? otherwise;
  const found = policies.find((one) => one === setting);
  if (found === undefined) throw new ConfigRefusal("permissions", `must be one of ${policies.join(", ")}.`);
  return found;
};

/** Asks people where the service offers it. */
export const askPeople = async (
  ask: ((request: PermissionRequest) => Promise<PermissionAnswer>) | undefined,
  request: PermissionRequest,
): Promise<PermissionAnswer> => {
  if (ask === undefined) return { allow: false, message: "Nobody can be asked here." };
  try {
    return await ask(request);
  } catch (error) {
    return { allow: false, message: error instanceof Error ? error.message : String(error) };
  }
};

/** Keys of a tool's input that say nothing about what it does. */
const asides = ["command", "cmd", "description", "timeout", "timeout_ms", "run_in_background", "reason"];

/**
 * The command of a tool's input, as people are to see it: the whole input where that has more than a command, so that
 * nothing of what they allow is hidden.
 */
export const commandIn = (input: Json | null): string | undefined => {
  if (input === null || Object.keys(input).length === 0) return undefined;
  const command = input.command ?? input.cmd;
  const text = Array.isArray(command) ? command.map((part) => quoted(String(part))).join(" ") : command;
  const isAll = Object.keys(input).every((key) => asides.includes(key));
  return typeof text === "string" && text !== "" && isAll ? text : JSON.stringify(input, null, 2);
};

const quoted = (part: string): string =>
  /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`;

/** The path of a tool's input. */
export const pathIn = (input: Json | null): string | undefined => {
  const path = input?.file_path ?? input?.filePath ?? input?.path ?? input?.notebook_path;
  return typeof path === "string" && path !== "" ? path : undefined;
};

/** The change of a file by lines, with three unchanged ones around it. */
export const lineDiff = (before: string, after: string): string => {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const mark = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign}${line}`);
  return [
    ...mark(" ", old.slice(Math.max(0, start - around), start)),
    ...mark("-", old.slice(start, old.length - end)),
    ...mark("+", now.slice(start, now.length - end)),
    ...mark(" ", old.slice(old.length - end, Math.min(old.length, old.length - end + around))),
  ].join("\n");
};

const around = 3;

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The change that an edit by texts makes: `old_string` and `new_string`, or the whole `content`. */
export const diffIn = (input: Json | null): string | undefined => {
  const fields = asObject(input) ?? {};
  const after = fields.new_string ?? fields.content;
  if (typeof after !== "string") return undefined;
  const before = typeof fields.old_string === "string" ? fields.old_string : "";
  return lineDiff(before, after);
};
