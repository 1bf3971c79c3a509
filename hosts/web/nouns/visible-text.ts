import { visibleCharacters } from "../../../core/model/shared/visible-text.ts";

/** A line of a file or a path as it is: what would hide or turn something around is shown by its number. */
export const visible = (text: string): string =>
  visibleCharacters(text).replace(/[\r\n]/g, (each) => `\\u{${each.codePointAt(0)!.toString(16)}}`);
