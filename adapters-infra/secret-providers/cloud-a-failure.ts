import {
  ProviderAccessDenied,
  ProviderConflict,
  ProviderError,
  type ProviderFailure,
  ProviderInvalidRequest,
  ProviderNotFound,
  ProviderThrottled,
  ProviderUnavailable,
} from "../../core/secrets/provider-failure.ts";

type Facts = Readonly<Record<string, string | null>>;

const classes = {
  AccessDeniedException: ProviderAccessDenied,
  AccessDenied: ProviderAccessDenied,
  UnrecognizedClientException: ProviderAccessDenied,
  InvalidSignatureException: ProviderAccessDenied,
  SignatureDoesNotMatch: ProviderAccessDenied,
  IncompleteSignature: ProviderAccessDenied,
  MissingAuthenticationTokenException: ProviderAccessDenied,
  ExpiredTokenException: ProviderAccessDenied,
  OptInRequired: ProviderAccessDenied,
  CredentialsProviderError: ProviderAccessDenied,
  DecryptionFailure: ProviderAccessDenied,
  EncryptionFailure: ProviderAccessDenied,
  ThrottlingException: ProviderThrottled,
  Throttling: ProviderThrottled,
  TooManyRequestsException: ProviderThrottled,
  RequestLimitExceeded: ProviderThrottled,
  LimitExceededException: ProviderThrottled,
  ResourceNotFoundException: ProviderNotFound,
  ResourceExistsException: ProviderConflict,
  InvalidParameterException: ProviderInvalidRequest,
  InvalidRequestException: ProviderInvalidRequest,
  InvalidNextTokenException: ProviderInvalidRequest,
  ValidationException: ProviderInvalidRequest,
  MalformedPolicyDocumentException: ProviderInvalidRequest,
  PreconditionNotMetException: ProviderInvalidRequest,
  RegionMissing: ProviderInvalidRequest,
  TimeoutError: ProviderUnavailable,
  AbortError: ProviderUnavailable,
  ServiceUnavailable: ProviderUnavailable,
  ServiceUnavailableException: ProviderUnavailable,
} as const;

/** Of an error of the SDK its name alone is read: its text may hold names, references, or what a proxy put there. */
export const failureOf = (error: unknown, facts: Facts): ProviderFailure => {
  const name = typeof error === "string" ? error : error instanceof Error ? error.name : "";
  const known = Object.hasOwn(classes, name) ? classes[name as keyof typeof classes] : undefined;
  if (known !== undefined) return new known(facts);
  const { code, $metadata } = (error ?? {}) as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const isOfConnection = typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code);
  if (isOfConnection || $metadata?.httpStatusCode === 503) return new ProviderUnavailable(facts);
  return new ProviderError(facts);
};
