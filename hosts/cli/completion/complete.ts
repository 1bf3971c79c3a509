import type { Command, Option } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import { declaredCommands } from "../endpoints/declared-commands.ts";
import type { Field } from "../endpoints/flags.ts";
import { kebab } from "../kebab.ts";
import type { Terminal } from "../terminal.ts";
import type { Candidate } from "./candidate.ts";
import { filesFor } from "./files.ts";
import { knownThings, paramOf } from "./known-things.ts";

/** Prints the completions of the last word, one a line, with its description after a tab. */
export const complete = async (
  program: Command,
  [shell = "", ...parts]: readonly string[],
  terminal: Terminal,
): Promise<void> => {
  const words = shell === "bash" ? joinWords(parts) : parts;
  const current = words.at(-1) ?? "";
  const found = await candidates(readLine(program, words.slice(0, -1)), current, terminal);
  const typedLength = shell === "bash" ? partBeforeBreak(current).length : 0;
  for (const { value, description } of found)
    if (value.startsWith(current)) terminal.out(`${value.slice(typedLength)}\t${description}\n`);
};

/** A command line up to the word that is completed. */
interface Line {
  readonly program: Command;
  readonly command: Command;
  readonly args: readonly string[];
  /** The values of flags, by the names of commander. */
  readonly options: Readonly<Record<string, string>>;
  /** The flag whose value comes next. */
  readonly awaits: Option | null;
}

const optionsOf = (program: Command, command: Command): readonly Option[] =>
  [...new Set([...command.options, ...program.options])].filter(({ hidden }) => !hidden);

const readLine = (program: Command, words: readonly string[]): Line => {
  let command = program;
  let awaits: Option | null = null;
  const args: string[] = [];
  const options: Record<string, string> = {};
  for (const word of words) {
    if (awaits !== null) {
      options[awaits.attributeName()] = word;
      awaits = null;
    } else if (word.startsWith("-")) {
      const [flag, ...value] = word.split("=");
      const option = optionsOf(program, command).find(({ long, short }) => long === flag || short === flag);
      if (option === undefined) continue;
      if (value.length > 0) options[option.attributeName()] = value.join("=");
      else if (option.required) awaits = option;
    } else {
      const next = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
      if (next === undefined) args.push(word);
      else command = next;
    }
  }
  return { program, command, args, options, awaits };
};

const candidates = async (line: Line, current: string, terminal: Terminal): Promise<readonly Candidate[]> => {
  const { program, command, awaits } = line;
  if (awaits !== null) return valuesOf(line, awaits, current, terminal);
  if (current.startsWith("-")) {
    const [flag = "", value] = [current.split("=")[0], current.split("=").slice(1).join("=")];
    const option = optionsOf(program, command).find(({ long }) => long === flag);
    if (!current.includes("=") || option === undefined)
      return optionsOf(program, command).map(({ long, short, description }) => ({
        value: long ?? short ?? "",
        description,
      }));
    const values = await valuesOf(line, option, value, terminal);
    return values.map((each) => ({ ...each, value: `${flag}=${each.value}` }));
  }
  if (command.commands.length > 0)
    return command.commands.map((sub) => ({
      value: sub.name(),
      description: sub.summary() || sub.description().split("\n")[0]!,
    }));
  return argumentsOf(line, current, terminal);
};

const valuesOf = async (
  line: Line,
  option: Option,
  typed: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> => {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value, description: "" }));
  if (option.long === "--company") return things(line, "companyId", terminal);
  if (option.long === "--output") return filesFor(typed);
  const field = fieldOf(line.command, option);
  if (field === undefined) return [];
  const { kind, name } = field;
  switch (kind.type) {
    case "choice":
      return kind.values.map((value) => ({ value, description: "" }));
    case "list": {
      const before = /^.*,/.exec(typed)?.[0] ?? "";
      const param = kind.of === null ? paramOf(name) : `${kind.of}Id`;
      const each =
        kind.values?.map((value) => ({ value, description: "" })) ??
        (param === null ? [] : await things(line, param, terminal));
      return each.map(({ value, description }) => ({ value: `${before}${value}`, description }));
    }
    case "reference":
      return things(line, `${kind.of}Id`, terminal);
    case "file":
    case "path":
      return filesFor(typed);
    case "text":
    case "json":
    case "secret":
      if (!typed.startsWith("@")) return [];
      return (await filesFor(typed.slice(1))).map(({ value, description }) => ({
        value: `@${value}`,
        description,
      }));
    default: {
      const param = paramOf(name);
      return param === null ? [] : things(line, param, terminal);
    }
  }
};

const fieldOf = (command: Command, { long }: Option): Field | undefined =>
  declaredCommands
    .find(({ group, action }) => kebab(action) === command.name() && kebab(group) === command.parent?.name())
    ?.fields.find(({ flag }) => `--${flag}` === long);

const argumentsOf = async (line: Line, typed: string, terminal: Terminal): Promise<readonly Candidate[]> => {
  const all = line.command.registeredArguments;
  // A company is named only where nothing else is.
  const needed = all.filter((argument) => argument.name() !== "companyId");
  const next = (needed.length > 0 ? needed : all)[line.args.length];
  if (next === undefined) return [];
  if (next.argChoices !== undefined) return next.argChoices.map((value) => ({ value, description: "" }));
  if (next.name() === "folder") return filesFor(typed);
  const given = Object.fromEntries(needed.map((argument, at) => [argument.name(), line.args[at] ?? ""]));
  return things(line, next.name(), terminal, given);
};

const things = (
  { options: { url, token, company } }: Line,
  param: string,
  terminal: Terminal,
  given: Readonly<Record<string, string>> = {},
): Promise<readonly Candidate[]> => {
  const options: CommonOptions = { url, token, company };
  return knownThings(param, given, options, terminal);
};

/** Readline splits words at these; a shell word that holds one arrives in parts. */
const breaks = /^[=:]+$/;

/** Joins the parts of bash's words: `failed_run`, `:`, `id` are one word of the shell. */
const joinWords = (parts: readonly string[]): readonly string[] => {
  const words: string[] = [];
  let glues = false;
  for (const part of parts) {
    const isBreak = breaks.test(part);
    if (words.length > 0 && (isBreak || glues)) words[words.length - 1] += part;
    else words.push(part);
    glues = isBreak;
  }
  return words;
};

/** The part of a bash word that stays as it is typed: readline replaces what follows its last break. */
const partBeforeBreak = (word: string): string => /^.*[=:]/.exec(word)?.[0] ?? "";
