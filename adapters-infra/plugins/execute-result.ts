import { z } from "zod";
import { type UsageWindow, usageStatuses } from "../../core/model/runs/usage-window.ts";
import type {
  ExecuteResult,
  InvocationMeta,
  PermissionRequest,
  TokenUsage,
  UsageReport,
} from "../../ports/agent-adapter.ts";
import { oneLine, severalLines, storable } from "./plain-text.ts";

/** Limit of a session as JSON. */
export const maxSessionChars = 64 * 1024;
const maxResultChars = 1024 * 1024;
const maxMetaChars = 256 * 1024;
const maxPermissionChars = 1024 * 1024;
const maxDepth = 64;
/** Limit of tokens and of cents. */
const maxCount = 10 ** 12;

/** Whether a value is JSON of at most `maxChars` characters and of limited depth. */
export const isShallow = (value: unknown, maxChars: number): boolean => {
  let level: unknown[] = [value];
  let seen = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    seen += level.length;
    if (seen > maxChars) return false;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  try {
    return (JSON.stringify(value)?.length ?? Number.POSITIVE_INFINITY) <= maxChars;
  } catch {
    return false;
  }
};

/** Removes characters that a database cannot store, from field names too. Takes shallow values only. */
export const storableDeep = (value: unknown): unknown => {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(storableDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [storable(name), storableDeep(item)]),
  );
};

/** Treats an invalid value as absent. */
const unless = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

const sentence = (max: number) => z.string().transform((text) => oneLine(text, max) || undefined);
const count = z
  .number()
  .transform((value) => (value >= 0 && value <= maxCount ? Math.round(value) : 0))
  .catch(0);
const usage: z.ZodType<TokenUsage> = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
});
const dollars = z
  .number()
  .min(0)
  .max(maxCount / 100);
const record = (maxChars: number) =>
  z
    .record(z.string(), z.unknown())
    .refine((value) => isShallow(value, maxChars))
    .transform((value) => storableDeep(value) as Record<string, unknown>);
const spent = {
  usage: unless(usage),
  provider: unless(sentence(200)),
  model: unless(sentence(200)),
  billingType: unless(z.enum(["metered_api", "subscription_included", "unknown"])),
  costUsd: unless(dollars),
  estimated: unless(z.boolean()),
};
const Result = z.object({
  exitCode: z
    .number()
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .nullable()
    .catch(null),
  signal: unless(
    z
      .string()
      .regex(/^SIG[A-Z0-9+-]{1,20}$/)
      .nullable(),
  ),
  timedOut: z.boolean().catch(false),
  errorMessage: unless(z.string().transform((text) => severalLines(text, 8000).trim() || undefined)),
  errorCode: unless(z.string().regex(/^[a-z][a-z0-9_]{0,99}$/)),
  errorFamily: unless(z.enum(["transient_upstream", "provider_quota", "model_refusal", "sign_in_required"])),
  retryNotBefore: unless(z.iso.datetime({ offset: true })),
  ...spent,
  sessionParams: unless(record(maxSessionChars)),
  sessionDisplayId: unless(sentence(300)),
  clearSession: unless(z.boolean()),
  summary: unless(z.string().transform((text) => storable(text.slice(0, 64 * 1024)))),
  prompted: unless(z.boolean()),
  resultJson: unless(record(maxResultChars)),
});
const Usage = z.object({ ...spent, usage: usage });
const Limits = z.object({
  windows: z
    .array(
      z.object({
        name: z
          .string()
          .transform((text) => oneLine(text, 60))
          .refine((text) => text !== ""),
        status: z.enum(usageStatuses).nullish().default(null),
        usedPercent: z.number().min(0).max(10_000).nullish().default(null),
        windowMinutes: z.int().min(1).max(527_040).nullish().default(null),
        resetsAt: z.iso
          .datetime({ offset: true })
          .transform((text) => new Date(text).toISOString())
          .nullish()
          .default(null),
      }),
    )
    .max(20),
});
const text = z.string().transform(storable);
const Permission = z.object({
  tool: z.string(),
  title: z.string(),
  command: z.string().optional(),
  path: z.string().optional(),
  diff: z.string().optional(),
  reason: z.string().optional(),
});
const Meta = z.object({
  command: unless(text),
  args: unless(z.array(text)),
  cwd: unless(text),
  notes: unless(z.array(text)),
  tools: unless(z.boolean()),
});

const defined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** Reads the valid part of an adapter's answer; null where the answer is no result. */
export const readResult = (value: unknown): ExecuteResult | null => {
  const read = Result.safeParse(value);
  if (!read.success) return null;
  const named = value as { readonly errorMessage?: unknown };
  const result = defined(read.data) as ExecuteResult;
  // A failure without a usable sentence is still a failure.
  return result.errorMessage === undefined && named.errorMessage != null && named.errorMessage !== ""
    ? { ...result, errorMessage: "The adapter reported a failure without a message." }
    : result;
};

/** Lists what was dropped from a result because it is too large or invalid; for the run's log. */
export const leftOut = (value: unknown, result: ExecuteResult): readonly string[] =>
  (["sessionParams", "resultJson", "usage", "costUsd", "retryNotBefore", "errorFamily"] as const).filter(
    (name) =>
      (value as Readonly<Record<string, unknown>>)[name] != null &&
      result[name as keyof ExecuteResult] === undefined,
  );

/** null where it is invalid. */
export const readUsage = (value: unknown): UsageReport | null => {
  const read = Usage.safeParse(value);
  return read.success ? (defined(read.data) as UsageReport) : null;
};

/** null where it is invalid. */
export const readLimits = (value: unknown): readonly UsageWindow[] | null => {
  const read = isShallow(value, maxMetaChars) ? Limits.safeParse(value) : null;
  return read?.success === true ? read.data.windows : null;
};

/** null where it is no request, or too large. */
export const readPermission = (value: unknown): PermissionRequest | null => {
  if (!isShallow(value, maxPermissionChars)) return null;
  const read = Permission.safeParse(value);
  return read.success ? (defined(read.data) as PermissionRequest) : null;
};

/** Reads the valid fields; null where it is no object, or too large. */
export const readMeta = (value: unknown): Partial<InvocationMeta> | null => {
  if (!isShallow(value, maxMetaChars)) return null;
  const read = Meta.safeParse(value);
  return read.success ? (defined(read.data) as Partial<InvocationMeta>) : null;
};
