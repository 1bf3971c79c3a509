import { readFileSync } from "node:fs";
import type { VaultScope } from "../../ports/secret-provider.ts";

export const externalVaultId = "external_vault";

type Environment = Readonly<Record<string, string | undefined>>;

/** How the service proves itself to Vault. The credentials are in memory only. */
export type VaultAuth =
  | { readonly method: "token"; readonly token: string }
  | { readonly method: "approle"; readonly mount: string; readonly roleId: string; readonly secretId: string }
  | {
      readonly method: "kubernetes";
      readonly mount: string;
      readonly role: string;
      readonly tokenFile: string;
    };

/** The deployment's settings, from the variables that the command lines of Vault and OpenBao read. */
export interface VaultDeployment {
  /** Null where it is missing, or no https address. */
  readonly address: URL | null;
  readonly namespace: string | null;
  /** The certificates of the authorities that sign the server's; null: those that Node trusts. */
  readonly authorities: string | null;
  readonly serverName: string | null;
  readonly auth: VaultAuth | null;
  /** Names and addresses on this machine or in private networks that may be called. */
  readonly privateHosts: ReadonlySet<string>;
}

const kubernetesToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** `BAO_…` of OpenBao comes before `VAULT_…`, as in its own tools. */
export const readVaultDeployment = (
  env: Environment,
  privateHosts: ReadonlySet<string>,
  secretOf: (name: string) => string | undefined,
): VaultDeployment => {
  const given = (name: string) => env[`BAO_${name}`]?.trim() || env[`VAULT_${name}`]?.trim() || null;
  const secret = (name: string) => secretOf(`BAO_${name}`) ?? secretOf(`VAULT_${name}`) ?? null;
  const certificates = given("CACERT");
  return {
    address: httpsAddress(given("ADDR")),
    namespace: given("NAMESPACE"),
    authorities: certificates === null ? null : readFileSync(certificates, "utf8"),
    serverName: given("TLS_SERVER_NAME"),
    auth: authOf(given, secret),
    privateHosts,
  };
};

const authOf = (
  given: (name: string) => string | null,
  secret: (name: string) => string | null,
): VaultAuth | null => {
  const token = secret("TOKEN");
  if (token !== null) return { method: "token", token };
  const [roleId, secretId] = [secret("ROLE_ID"), secret("SECRET_ID")];
  if (roleId !== null && secretId !== null)
    return { method: "approle", mount: given("APPROLE_MOUNT") ?? "approle", roleId, secretId };
  const role = given("KUBERNETES_ROLE");
  return role === null
    ? null
    : {
        method: "kubernetes",
        mount: given("KUBERNETES_MOUNT") ?? "kubernetes",
        role,
        tokenFile: given("KUBERNETES_TOKEN_FILE") ?? kubernetesToken,
      };
};

const httpsAddress = (text: string | null): URL | null => {
  if (text === null || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url : null;
};

const ofVault = (scope: VaultScope, field: string): string | null => {
  const value = scope.vault?.config[field];
  return typeof value === "string" ? value : null;
};

/** The first part of the paths that the service manages where the vault names none. */
const defaultPrefix = "boardroom";

/** Resolves what a vault's own configuration says, and the deployment's. */
export const vaultScopeOf = (deployment: VaultDeployment, scope: VaultScope) => {
  const prefix = ofVault(scope, "secretPathPrefix");
  return {
    address: ofVault(scope, "address"),
    namespace: ofVault(scope, "namespace") ?? deployment.namespace,
    mount: ofVault(scope, "mountPath") ?? "secret",
    prefix,
    /** Paths of managed secrets begin with it and a slash. */
    managedRoot: `${prefix ?? defaultPrefix}/${scope.vault?.id ?? "default"}`,
    managedRoots: [defaultPrefix],
  };
};

/** Lists what the deployment does not name. None of it is secret. */
export const missingOfVault = ({ address, auth }: VaultDeployment): readonly string[] => [
  ...(address === null ? ["VAULT_ADDR"] : []),
  ...(auth === null ? ["VAULT_TOKEN, or VAULT_ROLE_ID and VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE"] : []),
];
