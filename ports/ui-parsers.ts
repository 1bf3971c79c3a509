import type * as Effect from "effect/Effect";
import type { ParsedEntry } from "../core/model/runs/parsed-entries.ts";

/** A line of a run's standard output with the time of its logging. */
export interface ParserLine {
  readonly line: string;
  readonly ts: string;
}

/** Why a UI parser cannot be used, for people. */
export interface UiParserUnusable {
  readonly message: string;
}

export interface UiParser {
  readonly script: string;
  /** A parser of the service's own adapters, which needs no isolation. */
  readonly isBuiltIn: boolean;
}

/** Runs UI parsers: those of external adapters in isolation. */
export interface UiParsers {
  /**
   * Returns the entries of each line, in order; a line on which the parser throws has none. Fails with a sentence where
   * the parser does not load, takes too long, needs too much memory or returns too much.
   */
  parse(
    uiParser: UiParser,
    lines: readonly ParserLine[],
  ): Effect.Effect<readonly (readonly ParsedEntry[])[], UiParserUnusable>;
}
