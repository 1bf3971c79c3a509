/**
 * Outcomes are typed, accidents are defects. A refusal is an outcome: a stable code, a kind that each host translates
 * in one table, and a sentence that is safe to show to anybody.
 */
export type RefusalKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "unprocessable"
  | "too_large"
  | "unsupported_type"
  | "too_many"
  /** An external dependency gave a bad answer or none. */
  | "upstream_failed"
  | "upstream_unavailable";

export interface Refusal<Code extends string = string> {
  readonly code: Code;
  readonly kind: RefusalKind;
  readonly message: string;
  readonly details: RefusalDetails | undefined;
}

export type RefusalDetails = Readonly<Record<string, unknown>> | readonly unknown[];

/** The class of a refusal: a declaration lists it, the API description names it. */
export interface RefusalType<R extends Refusal = Refusal> {
  new (details?: RefusalDetails, message?: string): R;
  readonly code: R["code"];
  readonly kind: RefusalKind;
  readonly sentence: string;
}

/**
 * Makes a class of refusals: `class IssueNotFound extends refusal("issue_not_found", "not_found", "…") {}`.
 * An instance may carry details and a more specific sentence than the class.
 */
export const refusal = <const Code extends string>(code: Code, kind: RefusalKind, sentence: string) =>
  class implements Refusal<Code> {
    static readonly code: Code = code;
    static readonly kind: RefusalKind = kind;
    static readonly sentence: string = sentence;
    readonly code: Code = code;
    readonly kind: RefusalKind = kind;
    readonly message: string;
    readonly details: RefusalDetails | undefined;
    constructor(details?: RefusalDetails, message?: string) {
      this.message = message ?? sentence;
      this.details = details;
    }
  };

/** A field of the request is invalid. Details: `{ path, code, message }` of each field. */
export class ValidationFailed extends refusal("validation_error", "invalid", "The request is invalid.") {}

/** A reference inside a body that is missing or belongs to another company: both give the same answer. */
export class ReferenceNotFound extends refusal(
  "reference_not_found",
  "unprocessable",
  "Something this request refers to doesn't exist.",
) {
  static readonly at = (field: string): ReferenceNotFound =>
    new ReferenceNotFound({ path: [field] }, `${field} refers to something that doesn't exist.`);
}

export class WouldFormACycle extends refusal(
  "would_form_a_cycle",
  "unprocessable",
  "This would create a cycle.",
) {}

/** The caller lacks a right for reasons that depend on state rather than on the route. */
export class NotAllowed extends refusal("forbidden", "forbidden", "You don't have permission to do this.") {}

export class RevisionNotFound extends refusal("revision_not_found", "not_found", "Revision not found.") {}

/** Of a header Idempotency-Key, or of a key or an event's id that a body names itself. */
export class IdempotencyKeyReused extends refusal(
  "idempotency_key_reused",
  "conflict",
  "This idempotency key was used for another request. Send a new one.",
) {}
