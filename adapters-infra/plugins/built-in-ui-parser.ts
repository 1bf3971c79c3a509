import { setImmediate } from "node:timers/promises";
import { Script } from "node:vm";
import * as Effect from "effect/Effect";
import type { ParsedEntry } from "../../core/model/runs/parsed-entries.ts";
import type { ParserLine } from "../../ports/ui-parsers.ts";

type Parse = (line: string, ts: string) => readonly ParsedEntry[];

interface Parser {
  readonly parseStdoutLine?: Parse;
  /** Of one that keeps state from line to line. */
  readonly createStdoutParser?: () => { readonly parseLine: Parse };
}

const loaded = new Map<string, Parser>();

const load = (script: string): Parser => {
  const known = loaded.get(script);
  if (known !== undefined) return known;
  const module = { exports: {} as Parser };
  const run = new Script(`(function (exports, module) { "use strict"; ${script}\n})`).runInThisContext();
  run(module.exports, module);
  loaded.set(script, module.exports);
  return module.exports;
};

/** Begins to parse a log: its state is of no other. */
const parserOf = (script: string): Parse => {
  const { createStdoutParser, parseStdoutLine } = load(script);
  const made = createStdoutParser?.();
  return made === undefined ? parseStdoutLine! : (line, ts) => made.parseLine(line, ts);
};

/** How long the service does nothing else. */
const atOnceMs = 10;

/** Parses by the service's own code, whose input is the output of agents' programs. */
export const parseBuiltIn = (script: string, lines: readonly ParserLine[]) =>
  Effect.promise(async () => {
    const parse = parserOf(script);
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
