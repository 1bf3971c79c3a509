import { readFile, stat } from "node:fs/promises";
import { Script } from "node:vm";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import { messageOf, oneLine } from "./plain-text.ts";
import type { PluginManifest } from "./plugin-manifest.ts";

const maxBytes = 1024 * 1024;

type UiParser = Pick<LoadedAdapter, "uiParser" | "uiParserProblem">;

/** Reads the UI parser of a package as a script; converts an ES module. */
export const readUiParser = async (
  { uiParser: file }: PluginManifest,
  warn: (note: string) => void,
): Promise<UiParser> => {
  if (file.note !== undefined) warn(file.note);
  const none = (problem: string): UiParser => ({ uiParser: null, uiParserProblem: problem });
  if (!file.served) return none(file.note ?? "The adapter has no UI parser.");
  const refused = (problem: string): UiParser => {
    warn(problem);
    return none(problem);
  };
  if ((await stat(file.path)).size > maxBytes)
    return refused("Its UI parser is larger than 1 MiB. It is not served.");
  const text = await readFile(file.path, "utf8");
  const made = await uiParserScript(text);
  return "problem" in made
    ? refused(`Its UI parser is neither a script nor an ES module: ${oneLine(made.problem, 400)}`)
    : { uiParser: made.script, uiParserProblem: null };
};

/** Returns the text of a UI parser as a script, or why it is none. */
export const uiParserScript = async (text: string): Promise<ScriptOrProblem> =>
  scriptProblem(text) === null
    ? { script: text }
    : asScript(text).catch((error: unknown) => ({ problem: messageOf(error) }));

type ScriptOrProblem = { readonly script: string } | { readonly problem: string };

const asScript = async (text: string): Promise<ScriptOrProblem> => {
  const code = await converted(text);
  if (/\brequire\(/.test(code) && !/\brequire\(/.test(text))
    return { problem: "it imports other files, and a UI parser must stand alone." };
  const wrong = scriptProblem(code);
  return wrong === null ? { script: code } : { problem: wrong };
};

let conversions = 0;

/** All conversions share one process of esbuild. A stop leaves the others without an answer, so the last one stops it. */
const converted = async (text: string): Promise<string> => {
  conversions += 1;
  // Most parsers are scripts: esbuild is loaded only for the others.
  const { stop, transform } = await import("esbuild");
  try {
    return (await transform(text, { format: "cjs", platform: "neutral", logLevel: "silent" })).code;
  } finally {
    conversions -= 1;
    if (conversions === 0) await stop();
  }
};

/** Returns the syntax error of a script without running it. */
const scriptProblem = (text: string): string | null => {
  try {
    new Script(`(function (exports, module) { "use strict"; ${text}\n})`);
    return null;
  } catch (error) {
    return messageOf(error);
  }
};
