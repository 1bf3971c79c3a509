import type { Instant } from "../shared/instant.ts";
import type { TriggerPayload } from "./trigger-payload.ts";

/** The values that replace placeholders. */
export interface TemplateFacts {
  readonly payload: TriggerPayload | null;
  /** The tick, or the time of the request. */
  readonly at: Instant;
  /** IANA name. */
  readonly timezone: string;
}

/** Maximum characters of a title, and of one value in it. */
const titleLimits = { whole: 500, value: 200 } as const;
/** Maximum characters of all values in a description together, and of one. */
const descriptionLimits = { values: 64_000, value: 4_000 } as const;

const placeholder = /\{\{\s*(date|payload(?:\.[\w-]+)+)\s*\}\}/g;

/** One line, never blank: an empty result falls back to the template itself. */
export const fillTitle = (template: string, facts: TemplateFacts): string => {
  const filled = fill(template, facts, titleLimits.value, titleLimits.whole)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, titleLimits.whole)
    .toWellFormed();
  return filled === "" ? template : filled;
};

export const fillDescription = (template: string | null, facts: TemplateFacts): string | null =>
  template === null ? null : fill(template, facts, descriptionLimits.value, descriptionLimits.values);

/**
 * Replaces each placeholder once: a value that looks like one stays text. A field missing in the payload becomes an
 * empty string; other braces stay.
 */
const fill = (template: string, facts: TemplateFacts, perValue: number, together: number): string => {
  let remaining = together;
  return template.replace(placeholder, (_, name: string) => {
    const text = name === "date" ? dateOf(facts) : textAt(facts.payload, name.split(".").slice(1));
    const limit = Math.max(0, Math.min(perValue, remaining));
    const shown = text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
    remaining -= shown.length;
    return shown;
  });
};

/** `2026-11-22`. */
const dateOf = ({ at, timezone }: TemplateFacts): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" }).format(new Date(at));

const textAt = (payload: TriggerPayload | null, path: readonly string[]): string => {
  let value: unknown = payload;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return "";
    value = (value as Record<string, unknown>)[key];
  }
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};
