const sentences = new Intl.Segmenter("en", { granularity: "sentence" });
const hasLetters = (text: string): boolean => /\p{L}/u.test(text);

/** A line of Markdown as a person reads it. */
const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#+|>|[-*+]|\d+[.)])\s+/, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\*\*|__|`/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The last sentence of what an agent wrote, which says what it achieved; empty where it wrote none. */
export const lastSentence = (text: string): string => {
  const withoutCode = text.replaceAll(/```[\s\S]*?(?:```|$)/g, "");
  const blocks = withoutCode.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|#+|>|\|)\s)/);
  const last = plain(blocks.findLast(hasLetters) ?? "");
  return [...sentences.segment(last)].map(({ segment }) => segment.trim()).findLast(hasLetters) ?? "";
};
