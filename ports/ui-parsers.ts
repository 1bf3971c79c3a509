import type * as Effect from "effect/Effect";

/** A line of a run's standard output with the time at which it was logged. */
export interface ParserLine {
  readonly line: string;
  readonly ts: string;
}

/** An entry of a transcript, of any kind that a parser knows. */
export type ParsedEntry = Readonly<Record<string, unknown>> & { readonly kind: string; readonly ts: string };

/** Why a UI parser cannot be used, for people. */
export interface UiParserUnusable {
  readonly message: string;
}

/** Runs UI parsers of external adapters where they can reach nothing. */
export interface UiParsers {
  /**
   * The entries of each line, in order; a line on which the parser throws has none. Fails with a sentence where the
   * parser cannot be used at all: it does not load, takes too long, needs too much memory or says too much.
   */
  parse(
    uiParser: string,
    lines: readonly ParserLine[],
  ): Effect.Effect<readonly (readonly ParsedEntry[])[], UiParserUnusable>;
}
