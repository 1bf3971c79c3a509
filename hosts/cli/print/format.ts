/** Writes an instant as `3m ago` or `in 2h`, and as a date if it is long ago. */
export const ago = (at: string | null, now: Date): string => {
  if (at === null) return "–";
  const ms = now.getTime() - Date.parse(at);
  if (Number.isNaN(ms)) return at;
  if (Math.abs(ms) > 14 * 86_400_000) return at.slice(0, 10);
  if (Math.abs(ms) < 1_000) return "now";
  const whole = Math.floor(Math.abs(ms) / 1000) * 1000;
  return ms > 0 ? `${span(whole)} ago` : `in ${span(whole)}`;
};

/** Writes a duration as `40ms`, `0.4s`, `12s`, `3m 20s`, `5h` or `2d`. */
export const span = (ms: number): string => {
  if (ms < 100) return `${Math.round(ms)}ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${(Math.round(seconds * 10) / 10).toString()}s`;
  if (seconds < 60) return `${Math.round(seconds)}s`;
  if (seconds < 600) return `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`.replace(" 0s", "");
  if (seconds < 3600) return `${Math.round(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)}h`;
  return `${Math.round(seconds / 86_400)}d`;
};

/** Writes cents as dollars. */
export const money = (cents: number | null): string =>
  cents === null ? "–" : `$${(cents / 100).toFixed(2)}`;

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const zero = /^[\p{Mark}\p{Format}]+$/u;
/** Latin letters, dashes and quotation marks: each takes one column and combines with no other. */
const oneColumnEach = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into what a terminal shows as one; making the first segmenter takes longer than most commands. */
const graphemesOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
};

/** Counts the columns that a text needs in a terminal. */
export const displayWidth = (text: string): number => {
  if (oneColumnEach.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += zero.test(segment) ? 0 : wide.test(segment) ? 2 : 1;
  return width;
};

/** Cuts a text to a number of columns; an ellipsis marks the cut. */
export const cut = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let beginning = "";
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += displayWidth(segment);
    if (width > columns - 1) break;
    beginning += segment;
  }
  return `${beginning}…`;
};
