/** Control characters, and those that change the order or the place of what is read without being seen. */
const unseen = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Text of a file or a path as it is: what would hide or turn something around is shown by its number. */
export const visible = (text: string): string =>
  text.replace(unseen, (each) =>
    each === "\t" ? each : `\\u{${each.codePointAt(0)!.toString(16).padStart(4, "0")}}`,
  );
