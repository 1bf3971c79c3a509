import { setTimeout as pause } from "node:timers/promises";
import * as Effect from "effect/Effect";
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
import type { VaultScope } from "../../ports/secret-provider.ts";
import { askVault, VaultAnswered, VaultNotAsked } from "./vault-http.ts";
import { encodedPath, vaultSession } from "./vault-session.ts";
import { externalVaultId, missingOfVault, type VaultDeployment, vaultScopeOf } from "./vault-settings.ts";

export interface Call {
  readonly method: "GET" | "POST";
  /** Which part of the engine: values, or what is known about them. */
  readonly of: "data" | "metadata";
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
}

/** Makes calls of the KV engine (version 2) of a scope, as one operation. Drops the text of every error. */
export type AskKv = <A>(
  scope: VaultScope,
  operation: string,
  work: (call: (call: Call) => Promise<unknown>) => Promise<A>,
) => Effect.Effect<A, ProviderFailure>;

const attempts = 3;
const firstWaitMs = 100;

export const vaultClient = (deployment: VaultDeployment): AskKv => {
  const session = vaultSession(deployment);
  const send = async (scope: VaultScope, call: Call, signal: AbortSignal): Promise<unknown> => {
    const { address, namespace, mount } = vaultScopeOf(deployment, scope);
    // The service's credentials go to the address that its operator named, not to one of a company.
    if (address !== null && new URL(address).origin !== deployment.address?.origin)
      throw new VaultNotAsked("address_mismatch");
    const request = {
      method: call.method,
      path: `${encodedPath(mount)}/${call.of}/${encodedPath(call.path)}${call.query ?? ""}`,
      namespace,
      body: call.body,
      signal,
    };
    const token = await session.token(signal);
    try {
      return await askVault(deployment, { ...request, token });
    } catch (error) {
      // Vault answers alike to an expired token and to a missing right.
      if (!(error instanceof VaultAnswered) || error.status !== 403 || !(await session.refuse(token)))
        throw error;
      return askVault(deployment, { ...request, token: await session.token(signal) });
    }
  };
  const patiently = async (scope: VaultScope, call: Call, signal: AbortSignal): Promise<unknown> => {
    for (let attempt = 1; ; attempt++)
      try {
        return await send(scope, call, signal);
      } catch (error) {
        const status = error instanceof VaultAnswered ? error.status : 0;
        // Too many requests; a replica that does not know yet what was just written.
        if ((status !== 429 && status !== 412) || attempt === attempts) throw error;
        await pause(firstWaitMs * 2 ** attempt, undefined, { signal });
      }
  };
  return (scope, operation, work) =>
    Effect.tryPromise({
      try: (signal) => work((call) => patiently(scope, call, signal)),
      catch: (error) => failureOf(error, deployment, scope, operation),
    });
};

/** A secret has no value of that field, or no such version. */
export class NoValue extends Error {}
/** The text is none that a list gave. */
export class TokenInvalid extends Error {}

const reasons: Readonly<Record<VaultNotAsked["reason"], string>> = {
  not_configured: "VAULT_ADDR does not name an https address.",
  address_refused:
    "The address of Vault is in a private network or on this machine. An instance admin allows it by SERVICE_OUTBOUND_PRIVATE_HOSTS.",
  address_mismatch:
    "The vault's address is not that of VAULT_ADDR, to which alone the service's credentials go.",
  credentials_missing: "The service has no credentials for Vault.",
};

const failureOf = (
  error: unknown,
  deployment: VaultDeployment,
  scope: VaultScope,
  operation: string,
): ProviderFailure => {
  const facts = { provider: externalVaultId, operation, providerConfigId: scope.vault?.id ?? null };
  if (error instanceof VaultNotAsked) {
    const details = { ...facts, reason: error.reason, missingConfig: missingOfVault(deployment) };
    return error.reason === "credentials_missing"
      ? new ProviderAccessDenied(details, reasons[error.reason])
      : new ProviderInvalidRequest(details, reasons[error.reason]);
  }
  if (error instanceof NoValue) return new ProviderNotFound(facts);
  if (error instanceof TokenInvalid) return new ProviderInvalidRequest(facts);
  if (!(error instanceof VaultAnswered))
    return isOfConnection(error) ? new ProviderUnavailable(facts) : new ProviderError(facts);
  switch (error.status) {
    case 400:
    case 405:
      return new ProviderInvalidRequest(facts);
    case 401:
    case 403:
      return new ProviderAccessDenied(facts);
    case 404:
      return new ProviderNotFound(facts);
    case 409:
      return new ProviderConflict(facts);
    case 429:
      return new ProviderThrottled(facts);
    // Sealed, in maintenance, a standby, or a proxy without Vault.
    case 307:
    case 412:
    case 472:
    case 473:
    case 502:
    case 503:
    case 504:
      return new ProviderUnavailable(facts);
    default:
      return new ProviderError(facts);
  }
};

const isOfConnection = (error: unknown): boolean => {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return name === "TimeoutError" || (typeof code === "string" && !/^ERR_INVALID/.test(code));
};
