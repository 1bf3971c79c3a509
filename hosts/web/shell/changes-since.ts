/**
 * Returns the sections of a change log, newest first, down to the version that was seen before; the newest alone where
 * the log does not have that version.
 */
export const changesSince = (log: string, seen: string): string => {
  const [, ...sections] = log.split(/^(?=## )/m);
  const at = sections.findIndex((section) => /^## (\S+)/.exec(section)?.[1] === seen);
  return sections.slice(0, at < 1 ? 1 : at).join("");
};
