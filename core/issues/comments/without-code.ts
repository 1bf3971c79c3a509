/**
 * Markdown with its fenced blocks and code spans blanked: every character of code becomes a space, so that what follows
 * keeps its place. Takes time in proportion to the text, whatever the text is: it is written by strangers.
 */
export const withoutCode = (markdown: string): string =>
  withoutFences(markdown)
    .split(blankLine)
    .map((part, index) => (index % 2 === 0 ? withoutSpans(part) : part))
    .join("");

/** A code span does not reach over it. */
const blankLine = /(\n[ \t\r]*\n)/;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

const openingFence = /^([ \t>]*)(`{3,}(?=[^`]*$)|~{3,})/;

const closingFence = /^[ \t>]*(`{3,}|~{3,})[ \t\r]*$/;

const withoutFences = (markdown: string): string => {
  let open: { fence: string; quoted: boolean } | null = null;
  return markdown
    .split("\n")
    .map((line) => {
      // What is not quoted any more is outside of a quoted block.
      if (open?.quoted && !line.trimStart().startsWith(">")) open = null;
      if (open === null) {
        const [, indent = "", fence] = openingFence.exec(line) ?? [];
        if (fence === undefined) return line;
        open = { fence, quoted: indent.includes(">") };
      } else if (closingFence.exec(line)?.[1]?.startsWith(open.fence)) open = null;
      return blank(line);
    })
    .join("\n");
};

/** A span goes from a run of backticks to the next run of the same length; a run without a partner is text. */
const withoutSpans = (paragraph: string): string => {
  const runs = [...paragraph.matchAll(/`+/g)];
  const partners = partnersOf(runs.map(([run]) => run.length));
  let kept = "";
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const start = runs[index]!.index;
    const partner = partners[index];
    if (partner === undefined || isEscaped(paragraph, start, runs[index]![0])) continue;
    const end = runs[partner]!.index + runs[partner]![0].length;
    kept += paragraph.slice(from, start) + blank(paragraph.slice(start, end));
    from = end;
    index = partner;
  }
  return kept + paragraph.slice(from);
};

/** For each length the index of the next equal one. */
const partnersOf = (lengths: readonly number[]): readonly (number | undefined)[] => {
  const nearest = new Map<number, number>();
  const partners: (number | undefined)[] = [];
  for (let index = lengths.length - 1; index >= 0; index--) {
    partners[index] = nearest.get(lengths[index]!);
    nearest.set(lengths[index]!, index);
  }
  return partners;
};

const isEscaped = (text: string, at: number, run: string): boolean =>
  run.length === 1 && text[at - 1] === "\\" && text[at - 2] !== "\\";
