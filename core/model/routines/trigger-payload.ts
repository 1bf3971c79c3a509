import { explainExcess, requestBounds } from "../shared/json-bounds.ts";

export type TriggerPayload = Readonly<Record<string, unknown>>;

/** Maximum characters of the payload in the issue; the run stores all of it. */
const maxShown = 32_000;

/**
 * Parses a webhook's body: a JSON object as it is, other text and an object that exceeds the bounds of requests under
 * `body`, binary data under `bodyBase64`. Of a form its fields; where one of them is `payload` with an object, as GitHub and
 * Slack send it, that object.
 */
export const payloadOf = (bytes: Uint8Array, contentType = ""): TriggerPayload | null => {
  if (bytes.length === 0) return null;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { bodyBase64: base64(bytes) };
  }
  const form = /^application\/x-www-form-urlencoded\b/i.test(contentType) ? new URLSearchParams(text) : null;
  const value = parsed(form?.get("payload") ?? text) ?? (form === null ? text : fieldsOf(form)) ?? text;
  const stored = storable(value);
  return typeof stored === "object" && stored !== null && !Array.isArray(stored)
    ? (stored as TriggerPayload)
    : { body: stored };
};

/** undefined where the text is no JSON, or exceeds the bounds of requests. */
const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return explainExcess(value, requestBounds) === null ? value : undefined;
  } catch {
    return undefined;
  }
};

const fieldsOf = (form: URLSearchParams): unknown => {
  const fields = Object.fromEntries(form);
  return explainExcess(fields, requestBounds) === null ? fields : undefined;
};

const base64 = (bytes: Uint8Array): string => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};

/** Removes characters that the database cannot store in text: NUL and lone surrogates. */
const storable = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "\uFFFD").toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storable);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [storable(key) as string, storable(each)]),
  );
};

/** Returns the description: the routine's own, and the payload. */
export const describe = (description: string | null, payload: TriggerPayload | null): string | null => {
  if (payload === null || Object.keys(payload).length === 0) return description;
  const text = JSON.stringify(payload, null, 2);
  const shown =
    text.length <= maxShown
      ? text
      : `${text.slice(0, maxShown).toWellFormed()}\n… truncated; the routine's run has the full payload`;
  return [...(description === null ? [] : [description]), `Payload:\n\n\`\`\`json\n${shown}\n\`\`\``].join(
    "\n\n",
  );
};
