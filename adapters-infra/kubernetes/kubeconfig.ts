import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { EngineAccess } from "../runner-helper/engine-http.ts";

/** A sentence: why a kubeconfig cannot be used. */
export class KubeconfigUnusable extends Error {}

type Fields = Readonly<Record<string, unknown>>;

export const readKubeconfig = (file: string, context: string | null): EngineAccess => {
  const config = parsed(file);
  const entry = (list: unknown, kind: string, name: unknown): Fields => {
    const found = (Array.isArray(list) ? (list as Fields[]) : []).find((each) => each.name === name);
    if (found === undefined) throw new KubeconfigUnusable(`${file} has no ${kind} ${String(name)}.`);
    return (found[kind] ?? {}) as Fields;
  };
  const chosen = entry(config.contexts, "context", context ?? config["current-context"]);
  const cluster = entry(config.clusters, "cluster", chosen.cluster);
  const user = entry(config.users, "user", chosen.user);
  if (user.exec !== undefined || user["auth-provider"] !== undefined)
    throw new KubeconfigUnusable(
      `The user of ${file} signs in with another program, which is not supported. Give it a token or a client certificate.`,
    );
  if (cluster["insecure-skip-tls-verify"] === true)
    throw new KubeconfigUnusable(`${file} does not verify the server's certificate. Give it the CA.`);
  const server = String(cluster.server ?? "");
  if (!/^https:/.test(server) && !/^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(`${server}/`))
    throw new KubeconfigUnusable(`The server in ${file} must begin with https.`);
  const bytes = (fields: Fields, name: string): Buffer | undefined => {
    const data = fields[`${name}-data`];
    const path = fields[name];
    if (typeof data === "string") return Buffer.from(data, "base64");
    return typeof path === "string" ? read(resolve(dirname(file), path)) : undefined;
  };
  const tokenFile = typeof user.tokenFile === "string" ? resolve(dirname(file), user.tokenFile) : null;
  return {
    server: server.replace(/\/+$/, ""),
    ca: bytes(cluster, "certificate-authority"),
    cert: bytes(user, "client-certificate"),
    key: bytes(user, "client-key"),
    token: () =>
      tokenFile !== null
        ? read(tokenFile).toString().trim()
        : typeof user.token === "string"
          ? user.token
          : null,
  };
};

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The access of a service that runs in a pod itself. */
export const readServiceAccount = (env: Readonly<Record<string, string | undefined>>): EngineAccess => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (host === undefined)
    throw new KubeconfigUnusable("Its template names no kubeconfig, and the service does not run in a pod.");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca: read(`${accountFolder}/ca.crt`),
    cert: undefined,
    key: undefined,
    token: () => read(`${accountFolder}/token`).toString().trim(),
  };
};

const read = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch {
    throw new KubeconfigUnusable(`${path} cannot be read.`);
  }
};

const parsed = (file: string): Fields => {
  const text = read(file).toString();
  try {
    const content: unknown = parse(text);
    if (typeof content === "object" && content !== null) return content as Fields;
  } catch {
    // The parser's message could quote a key.
  }
  throw new KubeconfigUnusable(`${file} is no kubeconfig.`);
};
