import { maskedFromLength } from "../../secrets/secret.ts";

/**
 * Returns what of a value is a secret on its own: the leaves of JSON, the lines of a text, and the values of its
 * assignments, each without what surrounds it. Programs print them one by one, numbered, indented, or joined. Words that
 * any output may contain are no secrets.
 */
export const partsOf = (value: string): ReadonlySet<string> => {
  const parts = new Set<string>();
  addParts(value, false, parts);
  parts.delete(value);
  return parts;
};

/** A line must be longer than a value: a file has many, and some of them are short. */
const leastLine = 8;

/** A setting with such a name is a secret, whatever its value looks like. */
const secretName =
  /pass(word|phrase|wd)?|pwd|secret|token|credential|private|(api|access|account|signing)[_-]?key/i;

const addParts = (text: string, isNamedSecret: boolean, parts: Set<string>): void => {
  const json = structureOf(text);
  if (json !== null) {
    addLeaves(json, isNamedSecret, parts);
    return;
  }
  if (!/[\r\n]/.test(text.trim())) {
    addPart(text, isNamedSecret, maskedFromLength, parts);
    return;
  }
  const isKeyFile = /-----BEGIN [^\r\n-]+-----/.test(text);
  for (const line of text.split(/[\r\n]+/)) {
    const assignment = /^\s*(?:export\s+|- )?["']?([\w.-]+)["']?\s*[=:]\s*(\S.*)$/.exec(line);
    // A line of base64 may end with padding.
    if (assignment !== null && !/^[=\s]*$/.test(assignment[2]!))
      addPart(unquoted(assignment[2]!), secretName.test(assignment[1]!), maskedFromLength, parts);
    else if (!frame.test(line)) addPart(line, isKeyFile, leastLine, parts);
  }
};

/** The first and last line of a key file. */
const frame = /^\s*-+\s*(BEGIN|END)\b[^-]*-+\s*$/;

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1[,;]?$/, "$2");

/** Returns the object or array that the text writes, or null. */
const structureOf = (text: string): object | null => {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null;
  }
};

const addLeaves = (value: unknown, isNamedSecret: boolean, parts: Set<string>): void => {
  if (typeof value === "string") {
    addPart(value, isNamedSecret, maskedFromLength, parts);
    addParts(value, isNamedSecret, parts);
  } else if (Array.isArray(value)) for (const item of value) addLeaves(item, isNamedSecret, parts);
  else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value))
      addLeaves(item, isNamedSecret || secretName.test(name), parts);
};

const addPart = (text: string, isNamedSecret: boolean, least: number, parts: Set<string>): void => {
  const part = text.trim();
  if (part.length >= least && !isAddress(part) && (isNamedSecret || !isOrdinary(part))) parts.add(part);
};

/** An address without a password or a query. */
const isAddress = (text: string): boolean => /^[a-z][a-z+.-]*:\/\/[^@?#\s]*$/i.test(text);

/** Words, names of hosts and regions, numbers, dates; no passphrase, which is longer. */
const isOrdinary = (text: string): boolean =>
  (text.length < 24 && /^[a-z]+\d{0,2}(?:[-_. /:@,;]+(?:[a-z]+\d{0,2}|\d{1,5}))*$/i.test(text)) ||
  (text.length < 20 && /^[\d\s.,:/+TZ-]*$/.test(text)) ||
  /^[^a-z0-9]*$/i.test(text);
