import { readFile } from "node:fs/promises";
import { askVault, VaultAnswered, VaultNotAsked } from "./vault-http.ts";
import type { VaultAuth, VaultDeployment } from "./vault-settings.ts";

interface Lease {
  readonly token: string;
  /** Seconds that the token lives; 0: without an end. */
  readonly ttlSec: number;
  readonly renewable: boolean;
}

/** The token with which the service asks Vault. */
export interface VaultSession {
  /** Returns a token; signs in if none exists. */
  token(signal: AbortSignal): Promise<string>;
  /** Drops a token that Vault no longer accepts. Returns whether signing in again may help. */
  refuse(token: string): Promise<boolean>;
}

/** Renewed when so much of its life is over, as Vault's own agent does. */
const renewAfter = 2 / 3;
/** `setTimeout` takes no more. */
const longestTimerMs = 2 ** 31 - 1;

/** Signs in at the first call, renews the token while the process lives, and signs in again where that fails. */
export const vaultSession = (deployment: VaultDeployment): VaultSession => {
  let current: Promise<Lease> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const renewLater = (lease: Lease): void => {
    clearTimeout(timer);
    if (lease.ttlSec === 0 || !lease.renewable) return;
    timer = setTimeout(() => void renew(lease), Math.min(lease.ttlSec * 1_000 * renewAfter, longestTimerMs));
    timer.unref();
  };
  const renew = async (lease: Lease): Promise<void> => {
    try {
      const renewed = leaseOf(
        await ask(deployment, {
          method: "POST",
          path: "auth/token/renew-self",
          token: lease.token,
          body: {},
        }),
        lease.token,
      );
      current = Promise.resolve(renewed);
      renewLater(renewed);
    } catch {
      // The next call signs in again, or learns that the token has expired.
      if (deployment.auth?.method !== "token") current = null;
    }
  };
  const begin = async (signal: AbortSignal): Promise<Lease> => {
    const lease = await signIn(deployment, signal);
    renewLater(lease);
    return lease;
  };
  return {
    token: async (signal) => {
      current ??= begin(signal);
      try {
        return (await current).token;
      } catch (error) {
        current = null;
        throw error;
      }
    },
    refuse: async (token) => {
      // Several calls may have met the same refusal: only the first of them drops the token.
      const asked = current;
      const lease = await asked?.catch(() => null);
      if (lease?.token === token && current === asked) current = null;
      return deployment.auth?.method !== "token";
    },
  };
};

type Asked = Pick<Parameters<typeof askVault>[1], "method" | "path" | "token" | "body">;

const ask = (
  deployment: VaultDeployment,
  asked: Asked,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> => askVault(deployment, { ...asked, namespace: deployment.namespace, signal });

const signIn = async (deployment: VaultDeployment, signal: AbortSignal): Promise<Lease> => {
  const { auth } = deployment;
  if (auth === null) throw new VaultNotAsked("credentials_missing");
  if (auth.method !== "token") {
    const path = `auth/${encodedPath(auth.mount)}/login`;
    const answer = await ask(
      deployment,
      { method: "POST", path, token: null, body: await proofOf(auth) },
      signal,
    );
    return leaseOf(answer, null);
  }
  const { data } = (await ask(
    deployment,
    { method: "GET", path: "auth/token/lookup-self", token: auth.token },
    signal,
  ).catch((error: unknown) => {
    // A policy without `default` may not look itself up: such a token is used as it is.
    if (error instanceof VaultAnswered && error.status === 403) return { data: {} };
    throw error;
  })) as { readonly data?: { readonly ttl?: unknown; readonly renewable?: unknown } };
  return {
    token: auth.token,
    ttlSec: typeof data?.ttl === "number" ? data.ttl : 0,
    renewable: data?.renewable === true,
  };
};

const proofOf = async (auth: Exclude<VaultAuth, { method: "token" }>) =>
  auth.method === "approle"
    ? { role_id: auth.roleId, secret_id: auth.secretId }
    : { role: auth.role, jwt: (await readFile(auth.tokenFile, "utf8")).trim() };

const leaseOf = (answer: unknown, before: string | null): Lease => {
  const { auth } = answer as {
    readonly auth?: {
      readonly client_token?: unknown;
      readonly lease_duration?: unknown;
      readonly renewable?: unknown;
    };
  };
  const token =
    typeof auth?.client_token === "string" && auth.client_token !== "" ? auth.client_token : before;
  if (token === null) throw new Error("no token");
  return {
    token,
    ttlSec: typeof auth?.lease_duration === "number" ? auth.lease_duration : 0,
    renewable: auth?.renewable === true,
  };
};

/** Encodes each segment of a path. */
export const encodedPath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
