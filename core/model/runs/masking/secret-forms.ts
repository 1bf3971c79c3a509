import { maskedFromLength } from "../../secrets/secret.ts";
import { partsOf } from "./secret-parts.ts";

/**
 * Returns every form in which a value and its parts are searched for: plain, as JSON (once and nested), as Python writes it, as
 * HTML, percent-encoded, hexadecimal, and the middle of a base64 text in each of three alignments. Returns none for a value
 * that is too short to differ from ordinary words.
 */
export const formsOf = (value: string): readonly Uint8Array[] =>
  value.length < maskedFromLength ? [] : [value, ...partsOf(value)].flatMap(formsOfOne);

const formsOfOne = (value: string): readonly Uint8Array[] => {
  const texts = new Set<string>([value]);
  for (const json of [asJson(value), asAsciiJson(value)]) {
    texts.add(json).add(asJson(json)).add(json.replaceAll("/", "\\/"));
  }
  for (const text of [...asPython(value), ...asHtml(value)]) texts.add(text);
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

/** The texts that `repr` and `ascii` of a text and of its bytes write, in either quotes. */
const asPython = (text: string): readonly string[] => {
  const plain = text.replace(
    /[\\\p{Cc}]/gu,
    (char) => pythonEscapes[char] ?? `\\x${char.codePointAt(0)!.toString(16).padStart(2, "0")}`,
  );
  const ascii = plain.replace(/[^\0-\x7f]/gu, (char) => {
    const code = char.codePointAt(0)!;
    const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return `\\${mark}${code.toString(16).padStart(Number(digits), "0")}`;
  });
  const bytes = plain.replace(/[^\0-\x7f]+/g, (chars) =>
    Buffer.from(chars).toString("hex").replace(/../g, "\\x$&"),
  );
  return [plain, ascii, bytes].flatMap((form) => [form, form.replaceAll("'", "\\'")]);
};

const pythonEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

const asHtml = (text: string): readonly string[] => {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return htmlQuotes.map(([double, single]) => escaped.replaceAll('"', double).replaceAll("'", single));
};

/** How escapers write the two quotation marks. */
const htmlQuotes = [
  ['"', "'"],
  ["&quot;", "'"],
  ["&quot;", "&#x27;"],
  ["&quot;", "&#39;"],
  ["&quot;", "&#039;"],
  ["&quot;", "&apos;"],
  ["&#34;", "&#39;"],
] as const;

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
