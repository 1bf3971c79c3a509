import { z } from "zod";
import type {
  CheckState,
  FailedCheck,
  PolledPullRequest,
} from "../../core/model/repositories/pull-request-at-host.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import { HostUnusable } from "../../ports/code-stores.ts";

/** The part of an answer that counts; a host that answers otherwise is refused in one sentence. */
export const read = <S extends z.ZodType>(shape: S, answer: unknown): z.output<S> => {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HostUnusable(
    "rejected",
    `The host answers otherwise than its description says: ${issue?.path.join(".") ?? ""} ${clause(issue?.message ?? "")}.`,
  );
};

export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
export const address = z
  .string()
  .nullish()
  .transform((value) => (value != null && /^https?:\/\//.test(value) ? value.slice(0, 2_000) : null));
/** Where people see it; the page links to it. */
export const web = z
  .string()
  .regex(/^https?:\/\//)
  .max(2_000);
export const commit = z.string().regex(/^[0-9a-f]{40}$/);
export const commitOrNone = z
  .string()
  .nullish()
  .transform((value) => (value != null && commit.safeParse(value).success ? value : null));

/** One check as any host tells it. */
export interface Check {
  readonly state: Exclude<CheckState, "none">;
  /** Read only for those that failed. */
  readonly failure: () => Promise<FailedCheck>;
}

const failedMost = 5;

/** Checks together: one that failed decides, then one that runs still. */
export const together = async (checks: readonly Check[]): Promise<PolledPullRequest["checks"]> => {
  const failed: FailedCheck[] = [];
  for (const { failure } of checks.filter(({ state }) => state === "failed").slice(0, failedMost))
    failed.push(await failure());
  if (failed.length > 0) return { state: "failed", failed };
  if (checks.length === 0) return { state: "none", failed };
  return { state: checks.some(({ state }) => state === "pending") ? "pending" : "passed", failed };
};

export const logEndBytes = 4_000;
