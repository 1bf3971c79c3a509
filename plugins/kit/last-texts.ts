const between = 2;

/** Adds a text to those that are kept for a summary, the oldest of which give way; with blank lines between them. */
export const keepText = (texts: string[], text: string, maxLength: number): void => {
  texts.push(text);
  let length = texts.reduce((sum, one) => sum + one.length + between, -between);
  while (texts.length > 1 && length > maxLength) length -= (texts.shift()?.length ?? 0) + between;
};
