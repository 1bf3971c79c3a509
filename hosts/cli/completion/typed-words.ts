/** Readline splits words at these; a shell word that holds one arrives in parts. */
const breaks = /^[=:]+$/;

/** Joins the parts of bash's words: `failed_run`, `:`, `id` are one word of the shell. */
export const joinWords = (parts: readonly string[]): readonly string[] => {
  const words: string[] = [];
  let glues = false;
  for (const part of parts) {
    const isBreak = breaks.test(part);
    if (words.length > 0 && (isBreak || glues)) words[words.length - 1] += part;
    else words.push(part);
    glues = isBreak;
  }
  return words;
};

/** The part of a bash word that stays as it is typed: readline replaces what follows its last break. */
export const partBeforeBreak = (word: string): string => /^.*[=:]/.exec(word)?.[0] ?? "";
