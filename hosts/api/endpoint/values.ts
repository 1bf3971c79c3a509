import { z } from "zod";
import {
  type AgentId,
  type GoalId,
  type IssueId,
  isIssueIdentifier,
  isUuid,
  type LabelId,
  type ProjectId,
  type UserId,
} from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { explainExcess, freeFormBounds } from "../../../core/model/shared/json-bounds.ts";
import { IssueIdentifier } from "./issue-identifiers.ts";

const maxTextBytes = 512 * 1024;

/** PostgreSQL stores no NUL, and a lone surrogate is not valid UTF-8. */
export const storable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

export const notStorable = "must hold no NUL and no lone surrogate";

/** Checks every key and string at any depth, level by level. */
const explainUnstorable = (value: unknown): string | null => {
  let level: readonly unknown[] = [value];
  while (level.length > 0) {
    if (level.some((each) => typeof each === "string" && !storable(each))) return notStorable;
    level = level.flatMap((each) =>
      typeof each !== "object" || each === null
        ? []
        : Array.isArray(each)
          ? (each as unknown[])
          : Object.entries(each).flat(),
    );
  }
  return null;
};

/** Adds an issue for a free-form value that exceeds its bounds or cannot be stored. */
export const requireStorable = (value: unknown, context: z.RefinementCtx): void => {
  const message = explainExcess(value, freeFormBounds) ?? explainUnstorable(value);
  if (message !== null) context.addIssue({ code: "custom", message });
};

/** Untrimmed text of at most `max` characters. */
export const upTo = (max: number) => z.string().max(max).refine(storable, notStorable);

/** A name, search text or other short text. */
export const ShortText = upTo(500).min(1);

/** Names and titles: trimmed, not blank. */
export const Name = z
  .string()
  .trim()
  .min(1, "must not be blank")
  .max(500)
  .refine(storable, notStorable)
  .describe("Trimmed, not blank, at most 500 characters.");

/** Long text, usually Markdown. */
export const Text = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= maxTextBytes, "must be at most 512 KiB")
  .refine(storable, notStorable);

/** Text that is not blank. */
export const NonBlank = Text.regex(/\S/, "must not be blank").meta({ minLength: 1 });

/** Our calendar has no year 0, and neither has PostgreSQL's. */
const hasYear = (text: string): boolean => !text.startsWith("0000");

export const Day = z.iso.date().refine(hasYear, "has no such year").describe("A day, YYYY-MM-DD.");

export const PointInTime = z.iso
  .datetime()
  .refine(hasYear, "has no such year")
  // Runs even if the checks before it fail.
  .overwrite((text) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()));

/** A day, or a point in time with its offset. */
export const Moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text): Instant => new Date(text).toISOString())
  .describe("ISO 8601: a point in time, or a day (UTC).");

export const Cents = z.number().int().min(0).max(1e12).describe("Whole cents.");

/** An id in a request, in lower case as ids are stored: the core compares them as strings. */
export const reference = <T extends string>() =>
  z
    .custom<T>((text) => typeof text === "string" && isUuid(text), {
      error: ({ input }) => (input === undefined ? "is required" : "must be a UUID"),
    })
    // Runs even if the check before it fails.
    .overwrite((text) => (typeof text === "string" ? (text.toLowerCase() as T) : text))
    .meta({ type: "string", format: "uuid" });

export const AgentReference = reference<AgentId>();

/** An issue by id or identifier, such as ABC-12; dispatch replaces the identifier by the id. */
export const IssueReference = z
  .custom<IssueId>((text) => typeof text === "string" && (isUuid(text) || isIssueIdentifier(text)), {
    error: ({ input }) =>
      input === undefined ? "is required" : "must be a UUID or an identifier such as ABC-12",
  })
  .overwrite((text) => {
    if (typeof text !== "string") return text;
    return isUuid(text) ? (text.toLowerCase() as IssueId) : (new IssueIdentifier(text) as unknown as IssueId);
  })
  .meta({ type: "string", description: "An id, or an identifier such as ABC-12." });
export const ProjectReference = reference<ProjectId>();
export const GoalReference = reference<GoalId>();
export const LabelReference = reference<LabelId>();
export const UserReference = reference<UserId>();

/** A free-form object within `freeFormBounds`, stored unchanged. */
export const FreeObject = z.record(z.string(), z.unknown()).superRefine(requireStorable);

export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

const CommaSeparated = z.string().transform((text) => text.split(",").filter((part) => part !== ""));

/** A list `a,b,c` in a query, each item one of the values. `items` adds the values to the JSON schema. */
export const listOf = <const Values extends readonly string[]>(values: Values) =>
  CommaSeparated.pipe(z.array(z.enum(values)).min(1).max(100)).meta({
    items: { type: "string", enum: values },
  });

/** A list `a,b,c` of ids in a query. */
export const referencesOf = <T extends string>() =>
  CommaSeparated.pipe(z.array(reference<T>()).min(1).max(100)).meta({
    items: { type: "string", format: "uuid" },
  });

/** An id in an answer. */
export const id = z.uuid();

export const Timestamp = z.string().describe("ISO 8601, UTC, milliseconds.");

/** A timestamp that may be unset. */
export const when = Timestamp.nullable();

/** A free-form object in an answer. */
export const free = z.record(z.string(), z.unknown());

export const Done = z.object({ ok: z.literal(true) });
