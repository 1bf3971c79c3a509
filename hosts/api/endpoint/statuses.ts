import type { RefusalKind } from "../../../core/model/shared/failure.ts";

/** Maps kinds of refusal to HTTP statuses, for answers and for the report of authority. */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  unprocessable: 422,
  too_many: 429,
  upstream_failed: 502,
  upstream_unavailable: 503,
} as const satisfies Record<RefusalKind, number>;
