/**
 * Blanks fenced blocks and code spans in Markdown: every character of code becomes a space, so that positions stay the
 * same. Takes time linear in the text, because the text is untrusted.
 */
export const withoutCode = (markdown: string): string =>
  inBlocks(withoutFences(markdown.split("\n")))
    .map((block) => withoutSpans(block.join("\n")))
    .join("\n");

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The prefix of a line before its own text: quotation marks, indents, list marks. */
const container = /^(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;

const fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/;

const closing = /^(`{3,}|~{3,})[ \t\r]*$/;

interface Fence {
  readonly mark: string;
  /** The depth of its quotation. */
  readonly quotes: number;
  /** The column where its lines begin after a list's mark on the same line; else 0. */
  readonly item: number;
  /** The column from which a closing fence may be indented by at most three characters. */
  readonly indent: number;
}

const quotesOf = (text: string): number => text.split(">").length - 1;

const withoutFences = (lines: readonly string[]): readonly string[] => {
  let open: Fence | null = null;
  return lines.map((line) => {
    if (open !== null && isLeft(open, line)) open = null;
    if (open === null) {
      open = openedBy(line);
      return open === null ? line : blank(line);
    }
    if (isClosed(open, line)) open = null;
    return blank(line);
  });
};

const openedBy = (line: string): Fence | null => {
  const before = container.exec(line)?.[0] ?? "";
  const mark = fence.exec(line.slice(before.length))?.[0];
  if (mark === undefined) return null;
  return {
    mark,
    quotes: quotesOf(before),
    item: /[^ \t>]/.test(before) ? before.length : 0,
    indent: before.length,
  };
};

/** A line outside the fence's quotation or list item ends the block. */
const isLeft = ({ quotes, item }: Fence, line: string): boolean => {
  const indent = /^[ \t>]*/.exec(line)?.[0] ?? "";
  return quotesOf(indent) < quotes || (indent.length < item && line.trim() !== "");
};

const isClosed = ({ mark, quotes, indent }: Fence, line: string): boolean => {
  const before = (quotes > 0 ? /^[ \t>]*/ : /^[ \t]*/).exec(line)?.[0] ?? "";
  return (
    before.length <= indent + 3 && (closing.exec(line.slice(before.length))?.[1]?.startsWith(mark) ?? false)
  );
};

/** A code span crosses no empty line and no start of a list item. */
const begins = /^[ \t>]*(?:\r?$|(?:[-*+]|\d{1,9}[.)])[ \t])/;

/** A code span crosses no heading and no table row. */
const isAlone = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;

const inBlocks = (lines: readonly string[]): readonly (readonly string[])[] => {
  const blocks: string[][] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    const alone = isAlone.test(line);
    if (open === null || alone || begins.test(line)) {
      open = [];
      blocks.push(open);
    }
    open.push(line);
    if (alone) open = null;
  }
  return blocks;
};

/** A span reaches from a run of backticks to the next run of the same length; a run without a partner is text. */
const withoutSpans = (block: string): string => {
  const runs = [...block.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({
    // In code a backslash is literal; before code it escapes the first backtick.
    opens: isEscaped(block, index) ? length - 1 : length,
    length,
    end: index + length,
  }));
  const partners = partnersOf(runs);
  let remaining = "";
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const { end, opens } = runs[index]!;
    const partner = partners[index];
    if (partner === undefined) continue;
    const to = runs[partner]!.end;
    remaining += block.slice(from, end - opens) + blank(block.slice(end - opens, to));
    from = to;
    index = partner;
  }
  return remaining + block.slice(from);
};

/** Maps each run to the next one of the length that it opens. */
const partnersOf = (
  runs: readonly { readonly opens: number; readonly length: number }[],
): readonly (number | undefined)[] => {
  const nearest = new Map<number, number>();
  const partners: (number | undefined)[] = [];
  for (let index = runs.length - 1; index >= 0; index--) {
    const { opens, length } = runs[index]!;
    partners[index] = nearest.get(opens);
    nearest.set(length, index);
  }
  return partners;
};

/** Whether an unescaped backslash precedes the character. */
export const isEscaped = (text: string, at: number): boolean => {
  let start = at;
  while (text[start - 1] === "\\") start--;
  return (at - start) % 2 === 1;
};
