const between = 2;

/** Adds a text to those of a summary, separated by blank lines; drops the oldest beyond the limit. */
export const appendText = (texts: string[], text: string, maxLength: number): void => {
  texts.push(text);
  let length = texts.reduce((sum, one) => sum + one.length + between, -between);
  while (texts.length > 1 && length > maxLength) length -= (texts.shift()?.length ?? 0) + between;
};
