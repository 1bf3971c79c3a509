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
} from "../../../core/shared/ids.ts";
import { IssueIdentifier } from "./issue-identifiers.ts";

const maxTextBytes = 512 * 1024;

/** PostgreSQL keeps no NUL, and half a surrogate pair is no text. */
export const storable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

export const notStorable = "must hold no NUL and no lone surrogate";

const maxDepth = 100;

/** Every key and every text in it, however deep; looked at level by level, because depth is the sender's to choose. */
const whyNotStorable = (value: unknown): string | null => {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
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

/** Refuses, by the sentence, what could not be stored. */
export const keepable = (value: unknown, context: z.RefinementCtx): void => {
  const message = whyNotStorable(value);
  if (message !== null) context.addIssue({ code: "custom", message });
};

/** Text as it is given, at most so many characters. */
export const upTo = (max: number) => z.string().max(max).refine(storable, notStorable);

/** Words that name something by other means than an id. */
export const Word = upTo(500).min(1);

/** Names and titles: trimmed, not blank. */
export const Name = z
  .string()
  .trim()
  .min(1, "must not be blank")
  .max(500)
  .refine(storable, notStorable)
  .describe("Trimmed, not blank, at most 500 characters.");

/** Longer text, Markdown as a rule. */
export const Text = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= maxTextBytes, "must be at most 512 KiB")
  .refine(storable, notStorable);

/** Text that says something. */
export const Said = Text.regex(/\S/, "must not be blank").meta({ minLength: 1 });

/** Our calendar has no year 0, and neither has PostgreSQL's. */
const hasYear = (text: string): boolean => !text.startsWith("0000");

export const Day = z.iso.date().refine(hasYear, "has no such year").describe("A day, YYYY-MM-DD.");

export const PointInTime = z.iso
  .datetime()
  .refine(hasYear, "has no such year")
  // Asked also where the checks before it have failed.
  .overwrite((text) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()));

export const Cents = z.number().int().min(0).max(1e12).describe("Whole cents.");

/** The id of something that a request names, in lower case as ids are kept: the core compares them as they stand. */
export const reference = <T extends string>() =>
  z
    .custom<T>((text) => typeof text === "string" && isUuid(text), {
      error: ({ input }) => (input === undefined ? "is required" : "must be a UUID"),
    })
    // Asked also where the check before it has failed.
    .overwrite((text) => (typeof text === "string" ? (text.toLowerCase() as T) : text))
    .meta({ type: "string", format: "uuid" });

export const AgentReference = reference<AgentId>();

/** An issue, by id or by its identifier, such as ABC-12; dispatch puts the id in place of the identifier. */
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

/** A free-form object, stored as it is. */
export const FreeObject = z.record(z.string(), z.unknown()).superRefine(keepable);

export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");

/** `a,b,c` in a query, each one of the values. `items` says of which, to those who read the schema alone. */
export const listOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .string()
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(z.enum(values)).min(1))
    .meta({ items: { type: "string", enum: values } });

/** An id in an answer. */
export const id = z.uuid();

export const Timestamp = z.string().describe("ISO 8601, UTC, milliseconds.");

/** A moment that may not have come. */
export const when = Timestamp.nullable();

/** A free-form object in an answer. */
export const free = z.record(z.string(), z.unknown());

export const Done = z.object({ ok: z.literal(true) });
