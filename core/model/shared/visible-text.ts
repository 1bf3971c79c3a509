/**
 * Characters that show nothing, look like a space or turn the text around: control and format characters, those that
 * fonts leave out, blanks other than the space, halves of surrogate pairs. Line ends and tabs are not among them.
 */
const unseen =
  /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u202f\u205f\u2800\u3000]/gu;

/** Longer runs could push what follows out of sight. */
const mostBlanks = 40;
const blanks = new RegExp(`[ \\t]{${mostBlanks + 1},}`, "g");
const mostEmptyLines = 5;
const emptyLines = new RegExp(`\\n(?:[ \\t]*\\n){${mostEmptyLines + 1},}`, "g");

/**
 * Text by an agent as a person reads it who decides about it: what could not be seen is spelled out, and a long run of
 * blanks or empty lines is replaced by their number.
 */
export const visibleText = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    .replaceAll(blanks, (run) => ` [… ${run.length} blanks …] `)
    .replaceAll(emptyLines, (run) => `\n[… ${run.split("\n").length - 2} empty lines …]\n`);
