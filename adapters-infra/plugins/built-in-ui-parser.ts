import { setImmediate } from "node:timers/promises";
import { Script } from "node:vm";
import * as Effect from "effect/Effect";
import type { ParsedEntry } from "../../core/runs/parsed-entries.ts";
import type { ParserLine } from "../../ports/ui-parsers.ts";

type Parse = (line: string, ts: string) => readonly ParsedEntry[];

const loaded = new Map<string, Parse>();

/** A built-in parser keeps no state. */
const load = (script: string): Parse => {
  const known = loaded.get(script);
  if (known !== undefined) return known;
  const module = { exports: {} as { parseStdoutLine: Parse } };
  const run = new Script(`(function (exports, module) { "use strict"; ${script}\n})`).runInThisContext();
  run(module.exports, module);
  const { parseStdoutLine } = module.exports;
  loaded.set(script, parseStdoutLine);
  return parseStdoutLine;
};

/** How long the service does nothing else. */
const atOnceMs = 10;

/** Parses by the service's own code, whose input is the output of agents' programs. */
export const parseBuiltIn = (script: string, lines: readonly ParserLine[]) =>
  Effect.promise(async () => {
    const parse = load(script);
    const all: (readonly ParsedEntry[])[] = [];
    let begun = performance.now();
    for (const { line, ts } of lines) {
      if (performance.now() - begun > atOnceMs) {
        await setImmediate();
        begun = performance.now();
      }
      all.push(entriesOf(parse, line, ts));
    }
    return all;
  });

/** A shorter line cannot nest too deeply. */
const deepCharacters = 2_000;
/** The levels around an entry in an answer, and more. */
const levelsAround = 100;

/** None where the parser throws, or what a line nests could not be written as JSON. */
const entriesOf = (parse: Parse, line: string, ts: string): readonly ParsedEntry[] => {
  try {
    const entries = parse(line, ts);
    if (line.length > deepCharacters) {
      let around: unknown = entries;
      for (let level = 0; level < levelsAround; level++) around = [around];
      JSON.stringify(around);
    }
    return entries;
  } catch {
    return [];
  }
};
