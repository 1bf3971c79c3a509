import {
  ProviderAccessDenied,
  ProviderConflict,
  ProviderError,
  type ProviderFailure,
  ProviderInvalidRequest,
  ProviderNotFound,
  ProviderThrottled,
  ProviderUnavailable,
} from "../../core/model/secrets/provider-failure.ts";

type Facts = Readonly<Record<string, string | null>>;

/** Details of a configuration failure; none of them is secret. */
export interface Setup {
  /** Unset variables of the deployment. */
  readonly missingConfig: readonly string[];
  readonly credentialSource: string;
}

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
  TimeoutError: ProviderUnavailable,
  AbortError: ProviderUnavailable,
  ServiceUnavailable: ProviderUnavailable,
  ServiceUnavailableException: ProviderUnavailable,
} as const;

/** Reads only the name of an SDK error: its text may hold names, references, or output of a proxy. */
export const failureOf = (error: unknown, facts: Facts, setup: Setup): ProviderFailure => {
  const name = error instanceof Error ? error.name : "";
  if (name === "RegionMissing")
    return new ProviderInvalidRequest(
      { ...facts, ...setup },
      `The deployment is not configured for the provider: ${setup.missingConfig.join(", ")} not set. Set them for the service, or name a vault that has a region. Credentials are expected from ${setup.credentialSource}.`,
    );
  if (name === "CredentialsProviderError")
    return new ProviderAccessDenied(
      { ...facts, ...setup, reason: "credentials_missing" },
      `The service has no credentials for the provider. They are expected from ${setup.credentialSource}.`,
    );
  const known = Object.hasOwn(classes, name) ? classes[name as keyof typeof classes] : undefined;
  if (known !== undefined) return new known(facts);
  const { code, $metadata } = (error ?? {}) as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const isOfConnection = typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code);
  if (isOfConnection || $metadata?.httpStatusCode === 503) return new ProviderUnavailable(facts);
  return new ProviderError(facts);
};
