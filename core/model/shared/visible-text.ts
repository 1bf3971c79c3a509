/**
 * Characters that show nothing, look like a space or turn the text around: control and format characters, those that
 * fonts leave out, blanks other than the space, halves of surrogate pairs. Line ends and tabs are not among them.
 */
const unseen =
  /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u202f\u205f\u2800\u3000]/gu;

/** Whether it belongs to the picture before it: a variation selector, or a joiner of two pictures. */
const isPartOfPicture = (text: string, at: number): boolean =>
  (text[at] === "\ufe0f" && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at))) ||
  (text[at] === "\u200d" &&
    /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?$/u.test(text.slice(Math.max(0, at - 4), at)) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3)));

/** Text in which each character is seen. */
export const visibleCharacters = (text: string): string =>
  text.replaceAll(unseen, (character, at: number) =>
    isPartOfPicture(text, at) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** Longer runs could push what follows out of sight. */
const mostBlanks = 40;
const blanks = new RegExp(`[ \\t]{${mostBlanks + 1},}`, "g");
const mostEmptyLines = 5;
const emptyLines = new RegExp(`\\n(?:[ \\t]*\\n){${mostEmptyLines + 1},}`, "g");

/**
 * An agent's text as shown to the person who decides about it: invisible characters are spelled out, and a long run of blanks
 * or empty lines is replaced by its length.
 */
export const visibleText = (text: string): string =>
  visibleCharacters(text.replaceAll("\r\n", "\n"))
    .replaceAll(blanks, (run) => ` [… ${run.length} spaces …] `)
    .replaceAll(emptyLines, (run) => `\n[… ${run.split("\n").length - 2} empty lines …]\n`);

/**
 * The texts and field names of an agent's record, as shown to the person who decides about it. Fields in `unread` stay as they
 * are.
 */
export const visibleRecord = <T>(value: T, unread: (field: string) => boolean = () => false): T => {
  const visibleValue = (each: unknown): unknown => {
    if (typeof each === "string") return visibleText(each);
    if (Array.isArray(each)) return each.map(visibleValue);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([field, inner]) => [
        visibleText(field),
        unread(field) ? inner : visibleValue(inner),
      ]),
    );
  };
  return visibleValue(value) as T;
};
