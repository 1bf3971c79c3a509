import { refusal } from "../shared/failure.ts";

// Refusals for failures of a provider. Classes, codes and sentences are fixed: the provider's own text may contain
// names, references or values, so it is never passed on.

export class ProviderAccessDenied extends refusal(
  "access_denied",
  "forbidden",
  "The provider denied access.",
) {}

export class ProviderThrottled extends refusal(
  "throttled",
  "too_many",
  "The provider is limiting requests. Try again later.",
) {}

export class ProviderNotFound extends refusal(
  "not_found",
  "not_found",
  "The provider has nothing at this reference.",
) {}

export class ProviderConflict extends refusal(
  "conflict",
  "conflict",
  "The provider already has another value with this name.",
) {}

export class ProviderInvalidRequest extends refusal(
  "invalid_request",
  "unprocessable",
  "The provider rejected the request.",
) {}

export class ProviderUnavailable extends refusal(
  "provider_unavailable",
  "upstream_unavailable",
  "The provider isn't responding. Try again later.",
) {}

export class ProviderError extends refusal(
  "provider_error",
  "upstream_failed",
  "The provider failed to respond.",
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
