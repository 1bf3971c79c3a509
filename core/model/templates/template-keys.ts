/** Long enough to be read, short enough for the name of a file. */
const mostCharacters = 80;

/** `Weekly report` → `weekly-report`; `usual` where the name has no character for a key. */
const baseOf = (name: string, fallback: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, mostCharacters)
    .replace(/^-+|-+$/g, "") || fallback;

/** Gives each name its key, in order: a second record of the same name is `name-2`. */
export const keysOf = (names: readonly string[], fallback: string): readonly string[] => {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = baseOf(name, fallback);
    let key = base;
    for (let n = 2; taken.has(key); n++) key = `${base}-${n}`;
    taken.add(key);
    return key;
  });
};

/** Whether a record of that name could have the key. Another key would never find the record that it has made. */
export const fitsName = (key: string, name: string, fallback: string): boolean => {
  const base = baseOf(name, fallback);
  return (
    key === base || (key.startsWith(`${base}-`) && /^(?:[2-9]|[1-9][0-9]+)$/.test(key.slice(base.length + 1)))
  );
};
