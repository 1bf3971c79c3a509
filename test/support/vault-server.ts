import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export const roleId = "role-of-the-tests";
export const secretId = "secret-id-of-the-tests-only";
export const rootToken = "hvs.token-of-the-tests-only";
export const accountToken = "jwt-of-the-tests-only";

type Version = { data: Record<string, unknown>; deleted: boolean };
/** The variables by which a service finds the server and signs in by AppRole. */
export const vaultVariables = (
  { url }: Pick<VaultServer, "url">,
  folder: string,
): Record<string, string> => ({
  VAULT_ADDR: url,
  VAULT_CACERT: join(folder, "vault.crt"),
  VAULT_ROLE_ID: roleId,
  VAULT_SECRET_ID: secretId,
});

export type VaultOperation = "list" | "read" | "write" | "metadata" | "login" | "renew";

/** A server that speaks the published protocol of Vault: token, AppRole and Kubernetes sign-in, and KV version 2. */
export interface VaultServer {
  readonly url: string;
  /** Every operation with a valid token, in order. */
  readonly operations: string[];
  /** The requests whose token was missing, expired or wrong. */
  readonly refused: string[];
  readonly requests: { readonly method: string; readonly url: string; readonly namespace: string | null }[];
  /** Under `<namespace>/<mount>/<path>`, without a namespace under `/<mount>/<path>`. */
  readonly secrets: Map<string, Version[]>;
  put(path: string, data: Record<string, unknown>, namespace?: string): void;
  deny(...operations: VaultOperation[]): void;
  throttle(count: number): void;
  seal(isSealed: boolean): void;
  goAway(isAway: boolean): void;
  /** The tokens that were issued so far are no longer accepted. */
  expireTokens(): void;
  /** Seconds that an issued token lives. */
  ttl(seconds: number): void;
  stop(): Promise<void>;
}

/** Makes a certificate for localhost in the folder, which is its own authority. */
const certificateIn = (folder: string) => {
  const [key, cert] = [join(folder, "vault.key"), join(folder, "vault.crt")];
  execFileSync(
    "openssl",
    [
      ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" "),
      ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
};

/** The server's certificate is `vault.crt` in the folder. */
export const startVault = async (folder: string): Promise<VaultServer> => {
  const tls = certificateIn(folder);
  const secrets = new Map<string, Version[]>();
  const tokens = new Set<string>([rootToken]);
  const [operations, refused]: [string[], string[]] = [[], []];
  const requests: VaultServer["requests"] = [];
  let denied: readonly VaultOperation[] = [];
  let [throttled, isSealed, isAway, ttlSec] = [0, false, false, 3_600];

  const put: VaultServer["put"] = (path, data, namespace = "") => {
    const key = `${namespace}/${path}`;
    secrets.set(key, [...(secrets.get(key) ?? []), { data, deleted: false }]);
  };
  const allowed = (operation: VaultOperation) => {
    if (denied.includes(operation)) throw new Fault(403);
    operations.push(operation);
  };
  const leased = (token: string) => ({
    auth: { client_token: token, lease_duration: ttlSec, renewable: true },
  });
  const login = () => {
    const token = `hvs.${randomUUID()}`;
    tokens.add(token);
    return leased(token);
  };

  const signIn = (path: string, body: Record<string, unknown>) => {
    allowed("login");
    if (path === "auth/approle/login" && body.role_id === roleId && body.secret_id === secretId)
      return login();
    if (path === "auth/kubernetes/login" && body.role === "boardroom" && body.jwt === accountToken)
      return login();
    throw new Fault(400);
  };

  const listed = (at: string): string[] => {
    const below = [...secrets.keys()].filter((key) => key.startsWith(at)).map((key) => key.slice(at.length));
    return [...new Set(below.map((rest) => (rest.includes("/") ? `${rest.split("/")[0]}/` : rest)))].sort();
  };

  const kv = (url: URL, method: string, namespace: string, body: Record<string, unknown>): unknown => {
    const [, mount, kind, path] =
      /^\/v1\/([^/]+)\/(data|metadata)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (mount === undefined) throw new Fault(404);
    const key = `${namespace}/${mount}/${path}`;
    const versions = secrets.get(key);
    if (kind === "metadata" && url.searchParams.get("list") === "true") {
      allowed("list");
      const keys = listed(key);
      if (keys.length === 0) throw new Fault(404);
      return { data: { keys } };
    }
    if (kind === "metadata") {
      allowed("metadata");
      if (versions === undefined) throw new Fault(404);
      const of = (version: Version) => ({
        destroyed: false,
        deletion_time: version.deleted ? "2026-01-01T00:00:00Z" : "",
      });
      return {
        data: {
          current_version: versions.length,
          versions: Object.fromEntries(versions.map((version, at) => [at + 1, of(version)])),
        },
      };
    }
    if (method === "POST") {
      allowed("write");
      put(`${mount}/${path}`, body.data as Record<string, unknown>, namespace);
      return { data: { version: secrets.get(key)!.length } };
    }
    allowed("read");
    const asked = Number(url.searchParams.get("version") ?? 0);
    const version = versions?.at(asked === 0 ? -1 : asked - 1);
    if (version === undefined || version.deleted) throw new Fault(404);
    return { data: { data: version.data, metadata: {} } };
  };

  const answer = (request: IncomingMessage, body: Record<string, unknown>): unknown => {
    const url = new URL(request.url ?? "/", "https://vault");
    const namespace = String(request.headers["x-vault-namespace"] ?? "");
    requests.push({ method: request.method ?? "", url: request.url ?? "", namespace: namespace || null });
    if (isSealed) throw new Fault(503);
    if (throttled > 0) {
      throttled -= 1;
      throw new Fault(429);
    }
    const path = url.pathname.slice("/v1/".length);
    if (/^auth\/(approle|kubernetes)\/login$/.test(path)) return signIn(path, body);
    const token = String(request.headers["x-vault-token"] ?? "");
    if (!tokens.has(token)) {
      refused.push(path);
      throw new Fault(403);
    }
    if (path === "auth/token/lookup-self") return { data: { ttl: ttlSec, renewable: true } };
    if (path === "auth/token/renew-self") {
      allowed("renew");
      return leased(token);
    }
    return kv(url, request.method ?? "", namespace, body);
  };

  const server = createServer(tls, async (request, response) => {
    if (isAway) return void request.socket.destroy();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString("utf8");
    const say = (status: number, body: unknown) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      say(200, answer(request, text === "" ? {} : JSON.parse(text)));
    } catch (error) {
      // Vault's messages may contain anything; none of it may be passed on.
      if (error instanceof Fault) say(error.status, { errors: [`canary ${request.url} ${text}`] });
      else throw error;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    operations,
    refused,
    requests,
    secrets,
    put,
    deny: (...names) => {
      denied = names;
    },
    throttle: (count) => {
      throttled = count;
    },
    seal: (on) => {
      isSealed = on;
    },
    goAway: (on) => {
      isAway = on;
      if (on) server.closeAllConnections();
    },
    expireTokens: () => tokens.clear(),
    ttl: (seconds) => {
      ttlSec = seconds;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

class Fault extends Error {
  readonly status: number;
  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}
