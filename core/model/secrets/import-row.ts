import * as Result from "effect/Result";
import { suggestionFor } from "./import-candidate.ts";
import { descriptionOf, keyOf } from "./secret.ts";

/** A valid row of an import. */
export interface ImportRow {
  readonly externalRef: string;
  readonly name: string;
  readonly key: string;
  readonly description: string | null;
  readonly providerVersionRef: string | null;
  readonly providerMetadata: Readonly<Record<string, unknown>> | null;
}

const known = ["externalRef", "name", "key", "description", "providerVersionRef", "providerMetadata"];

/**
 * Returns the row, or a sentence about its error. An invalid row does not refuse the others. A row without a name takes
 * the one suggested by its reference, as in the preview.
 */
export const rowOf = (
  given: Readonly<Record<string, unknown>>,
  canonical: (reference: string) => string | null,
): Result.Result<ImportRow, string> => {
  const wrong = (sentence: string) => Result.fail(sentence);
  if (Object.keys(given).some((field) => !known.includes(field)))
    return wrong("The row has too many fields.");
  const { externalRef, name, key, description, providerVersionRef, providerMetadata } = given;
  if (!isText(externalRef, 2048)) return wrong("externalRef must be text of 1 to 2048 characters.");
  if (!isAbsent(name) && !isText(name, 160)) return wrong("name must be text of 1 to 160 characters.");
  if (!isAbsent(key) && !(isText(key, 120) && /^[A-Za-z0-9_.-]+$/.test(key)))
    return wrong("key must be 1 to 120 letters, digits and _ . -");
  if (
    !isAbsent(description) &&
    !(typeof description === "string" && description.length <= 500 && storable(description))
  )
    return wrong("description must be text of at most 500 characters.");
  if (!isAbsent(providerVersionRef) && !isText(providerVersionRef, 512))
    return wrong("providerVersionRef must be text of 1 to 512 characters.");
  if (
    !isAbsent(providerMetadata) &&
    (typeof providerMetadata !== "object" || Array.isArray(providerMetadata))
  )
    return wrong("providerMetadata must be an object.");
  const reference = externalRef.trim();
  const suggested = suggestionFor(
    (name as string | null | undefined)?.trim() ?? canonical(reference) ?? "",
    reference,
  );
  const named = {
    name: suggested.name,
    key: (key as string | null | undefined) ?? keyOf(suggested.name),
  };
  if (named.key === "") return wrong("A key can't be generated from this name. Send one.");
  return Result.succeed({
    externalRef: reference,
    ...named,
    description: descriptionOf(description as string | null | undefined),
    providerVersionRef: (providerVersionRef as string | null | undefined) ?? null,
    providerMetadata: isAbsent(providerMetadata) ? null : sanitized(providerMetadata as object),
  });
};

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const storable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

const isText = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= max && storable(value);

const isDate = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 40 && !Number.isNaN(Date.parse(value));

/** Keeps counts, flags and dates only: nothing that could contain a name, a tag or a value. */
const sanitized = (metadata: object): Readonly<Record<string, unknown>> => {
  const { createdDate, lastChangedDate, hasDescription, hasKmsKey, tagCount } = metadata as Record<
    string,
    unknown
  >;
  return {
    ...(isDate(createdDate) ? { createdDate: new Date(createdDate).toISOString() } : {}),
    ...(isDate(lastChangedDate) ? { lastChangedDate: new Date(lastChangedDate).toISOString() } : {}),
    ...(typeof hasDescription === "boolean" ? { hasDescription } : {}),
    ...(typeof hasKmsKey === "boolean" ? { hasKmsKey } : {}),
    ...(Number.isSafeInteger(tagCount) ? { tagCount } : {}),
  };
};
