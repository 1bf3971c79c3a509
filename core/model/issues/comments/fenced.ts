/** A block of code in Markdown, whose fence the text cannot end. */
export const fenced = (text: string): string => {
  const ticks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(ticks + 1);
  return `${fence}\n${text.replaceAll("\u001b", "").trimEnd()}\n${fence}`;
};
