import { refusal } from "../shared/failure.ts";

// Refusals for failures of a provider. Classes, codes and sentences are fixed: the provider's own text may contain
// names, references or values, so it is never passed on.

export class ProviderAccessDenied extends refusal(
  "access_denied",
  "forbidden",
  "The provider denies the service that access.",
) {}

export class ProviderThrottled extends refusal(
  "throttled",
  "too_many",
  "The provider limits requests. Try again later.",
) {}

export class ProviderNotFound extends refusal(
  "not_found",
  "not_found",
  "The provider has nothing under that reference.",
) {}

export class ProviderConflict extends refusal(
  "conflict",
  "conflict",
  "The provider has another value under that name.",
) {}

export class ProviderInvalidRequest extends refusal(
  "invalid_request",
  "unprocessable",
  "The provider rejected the request.",
) {}

export class ProviderUnavailable extends refusal(
  "provider_unavailable",
  "upstream_unavailable",
  "The provider does not answer. Try again later.",
) {}

export class ProviderError extends refusal(
  "provider_error",
  "upstream_failed",
  "The provider failed to answer.",
) {}

export const providerFailures = [
  ProviderAccessDenied,
  ProviderThrottled,
  ProviderNotFound,
  ProviderConflict,
  ProviderInvalidRequest,
  ProviderUnavailable,
  ProviderError,
] as const;

export type ProviderFailure = InstanceType<(typeof providerFailures)[number]>;
