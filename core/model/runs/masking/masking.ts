import { mask } from "../../agents/agent-config.ts";
import { maskedFromLength } from "../../secrets/secret.ts";
import { LineSearch } from "./line-search.ts";
import { MaskedStream } from "./masked-stream.ts";
import { PatternSearch } from "./pattern-search.ts";
import { formsOf } from "./secret-forms.ts";

/**
 * Masking hides the values that a run was given in everything that is stored of it.
 *
 * 1. `secret-parts.ts` says which parts of a value are secrets on their own: leaves of JSON, lines of a key.
 *    `secret-forms.ts` writes each value and part in every form it may appear in: plain, JSON, Python, HTML,
 *    percent-encoded, hexadecimal, base64 in its three alignments. These forms are the patterns.
 * 2. `pattern-search.ts` finds all patterns in one pass (Wu–Manber), at a cost that does not grow with their number.
 * 3. `wrapped-text.ts` finds base64 and hexadecimal that an encoder broke into lines, and joins the lines.
 * 4. `line-search.ts` searches the bytes as they are and the joined lines, and says which ranges to hide and from
 *    where on the end may be the beginning of a pattern.
 * 5. `masked-stream.ts` holds that end back until more comes, passes on the rest, and puts one `••••` in place of each
 *    range, so that the result does not depend on where the output was cut into chunks.
 *
 * `masked-log.ts` applies this to a run's log. Laws: test/core/masking.test.ts.
 */
export class Masking {
  readonly #search: LineSearch;

  constructor(values: readonly string[]) {
    const forms = new Map(
      values.flatMap(formsOf).map((form) => [Buffer.from(form).toString("latin1"), form]),
    );
    this.#search = new LineSearch(new PatternSearch([...forms.values()]), maskedFromLength);
  }

  text(text: string): string {
    const bytes = Buffer.from(text, "utf8");
    const stream = this.stream();
    const masked = [stream.push(bytes), stream.end()];
    // A text without values stays unchanged, lone surrogates included.
    return stream.hasHidden ? Buffer.concat(masked).toString("utf8") : text;
  }

  /** Masks every text in a value, including names of fields. */
  deep<T>(value: T): T {
    if (typeof value === "string") return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.deep(item)) as T;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.text(name), this.deep(item)]),
    ) as T;
  }

  stream(): MaskedStream {
    return new MaskedStream(this.#search, mask);
  }
}
