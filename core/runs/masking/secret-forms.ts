import { maskedFromLength } from "../../secrets/secret.ts";

/**
 * Returns every form in which a value is searched: plain, as JSON (once and nested), percent-encoded, hexadecimal, and
 * the middle of a base64 text in each of three alignments. Returns none for a value too short to be distinguished from
 * ordinary words.
 */
export const formsOf = (value: string): readonly Uint8Array[] => {
  if (value.length < maskedFromLength) return [];
  const texts = new Set<string>([value]);
  for (const json of [asJson(value), asAsciiJson(value)]) {
    texts.add(json).add(asJson(json)).add(json.replaceAll("/", "\\/"));
  }
  for (const encoded of [percentEncoded(value), strictlyEncoded(value), formEncoded(value)])
    texts.add(encoded).add(encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const bytes = Buffer.from(value, "utf8");
  for (const core of base64Cores(bytes))
    texts.add(core).add(core.replaceAll("+", "-").replaceAll("/", "_")).add(core.replaceAll("/", "\\/"));
  const hex = bytes.toString("hex");
  texts.add(hex).add(hex.toUpperCase());
  return [...texts].map((text) => Buffer.from(text, "utf8"));
};

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const asAsciiJson = (text: string): string =>
  asJson(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const percentEncoded = (text: string): string =>
  text.isWellFormed() ? encodeURIComponent(text) : encodeURIComponent(text.toWellFormed());

const strictlyEncoded = (text: string): string =>
  percentEncoded(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const formEncoded = (text: string): string => strictlyEncoded(text).replaceAll("%20", "+");

/** The characters of a base64 text that depend on these bytes alone, for each of three alignments. */
const base64Cores = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(from, to);
  });
