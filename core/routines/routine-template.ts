import type { Instant } from "../shared/instant.ts";
import type { TriggerPayload } from "./trigger-payload.ts";

/** What a firing puts in place of placeholders. */
export interface TemplateFacts {
  readonly payload: TriggerPayload | null;
  /** The tick, or when the firing was asked for. */
  readonly at: Instant;
  /** IANA name. */
  readonly timezone: string;
}

/** In characters: of a title, and of one value in it. */
const titleLimits = { whole: 500, value: 200 } as const;
/** Of all values in a description together, and of one. */
const descriptionLimits = { values: 64_000, value: 4_000 } as const;

const placeholder = /\{\{\s*(date|payload(?:\.[\w-]+)+)\s*\}\}/g;

/** One line, never blank: where nothing is left of it, the template itself stands. */
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
 * Replaces each placeholder once: a value that looks like one stays text. What the payload does not have is replaced by
 * nothing; braces around anything else stay as they are.
 */
const fill = (template: string, facts: TemplateFacts, perValue: number, together: number): string => {
  let left = together;
  return template.replace(placeholder, (_, name: string) => {
    const text = name === "date" ? dateOf(facts) : textAt(facts.payload, name.split(".").slice(1));
    const limit = Math.max(0, Math.min(perValue, left));
    const shown = text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
    left -= shown.length;
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
