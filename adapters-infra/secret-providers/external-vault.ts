import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { ProviderFailure } from "../../core/model/secrets/provider-failure.ts";
import type { Health } from "../../core/model/vaults/vault.ts";
import type { SecretProvider } from "../../ports/secret-provider.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";
import { type AskKv, NoValue, vaultClient } from "./vault-client.ts";
import { listVault } from "./vault-inventory.ts";
import { externalVaultId, missingOfVault, type VaultDeployment, vaultScopeOf } from "./vault-settings.ts";

/** HashiCorp Vault and OpenBao: the KV engine, version 2, over https. */
export const externalVault = (deployment: VaultDeployment): SecretProvider => {
  const ask = vaultClient(deployment);
  return {
    id: externalVaultId,
    isLocked: false,
    linksReferences: true,
    ...values(deployment, ask),
    list: listVault(deployment, ask),
    describe: (scope, reference) =>
      ask(scope, "describe", async (call) => {
        const { path } = partsOf(reference);
        const answer = (await call({ method: "GET", of: "metadata", path })) as Metadata;
        const latest = answer.data?.versions?.[String(answer.data.current_version)];
        // A deleted version has no value, and its secret is still listed.
        if (latest === undefined || latest.destroyed || (latest.deletion_time ?? "") !== "")
          throw new NoValue();
      }),
    probe: (scope) =>
      Effect.match(listVault(deployment, ask)(scope, { query: null, nextToken: null, pageSize: 1 }), {
        onSuccess: () => ready,
        // A mount or folder without a secret in it is not found.
        onFailure: (failure) => (failure.code === "not_found" ? ready : healthOf(failure, deployment)),
      }),
    diagnose: () => Effect.sync(() => diagnosisOf(deployment)),
    canonical: (_scope, reference) => {
      const { path, field } = partsOf(reference);
      return pathShape.test(path) && path.length <= 512 && (field === null || fieldShape.test(field))
        ? `${path}${field === null ? "" : `#${field}`}`
        : null;
    },
    manages: (scope, reference) => {
      const { managedRoot, managedRoots } = vaultScopeOf(deployment, scope);
      const { path } = partsOf(reference);
      return [managedRoot, ...managedRoots].some((root) => path === root || path.startsWith(`${root}/`));
    },
    namesOf: (reference) => [reference],
    fingerprint: fingerprintOf(externalVaultId),
  };
};

interface Metadata {
  readonly data?: {
    readonly current_version?: number;
    readonly versions?: Readonly<
      Record<string, { readonly destroyed?: boolean; readonly deletion_time?: string }>
    >;
  };
}

const pathShape = /^(?!\.{1,2}(\/|$))[A-Za-z0-9_.@+=-]+(\/(?!\.{1,2}(\/|$))[A-Za-z0-9_.@+=-]+)*$/;
const fieldShape = /^[A-Za-z0-9_.@+=-]{1,128}$/;
/** The field of secrets that the service writes. */
const ownField = "value";

/** `prod/db#password` is the field password of the secret prod/db. */
const partsOf = (reference: string): { readonly path: string; readonly field: string | null } => {
  const at = reference.indexOf("#");
  return at === -1
    ? { path: reference, field: null }
    : { path: reference.slice(0, at), field: reference.slice(at + 1) };
};

const values = (deployment: VaultDeployment, ask: AskKv): Pick<SecretProvider, "keep" | "read"> => ({
  keep: (scope, as, value) =>
    ask(scope, "keep", async (call) => {
      const path = `${vaultScopeOf(deployment, scope).managedRoot}/${scope.companyId}/${as.key}`;
      const body = { data: { [ownField]: Redacted.value(value) } };
      const { data } = (await call({ method: "POST", of: "data", path, body })) as {
        readonly data?: { readonly version?: unknown };
      };
      const version = typeof data?.version === "number" ? String(data.version) : null;
      return { sealed: null, externalRef: path, providerVersionRef: version };
    }),
  read: (scope, _of, { externalRef, providerVersionRef }) =>
    ask(scope, "read", async (call) => {
      const { path, field } = partsOf(externalRef ?? "");
      const query = providerVersionRef === null ? "" : `?version=${encodeURIComponent(providerVersionRef)}`;
      const { data } = (await call({ method: "GET", of: "data", path, query })) as {
        readonly data?: { readonly data?: Readonly<Record<string, unknown>> | null };
      };
      const text = valueIn(data?.data ?? {}, field);
      if (text === null) throw new NoValue();
      return Redacted.make(text);
    }),
});

/** Returns the named field; without a name `value`, or the only field; null if it has none. */
const valueIn = (data: Readonly<Record<string, unknown>>, field: string | null): string | null => {
  const names = Object.keys(data);
  const name = field ?? (Object.hasOwn(data, ownField) ? ownField : names.length === 1 ? names[0]! : null);
  if (name === null || !Object.hasOwn(data, name)) return null;
  const value = data[name];
  return typeof value === "string" ? value : value === null ? null : JSON.stringify(value);
};

const ready: Health = {
  status: "ready",
  message: "The provider answers.",
  details: {
    code: "provider_ready",
    message: "Listing works; the first run that needs a value tests reading.",
    guidance: [],
  },
};

const healthOf = ({ code, message }: ProviderFailure, deployment: VaultDeployment): Health => {
  const missing = missingOfVault(deployment);
  return {
    status: (code === "access_denied" && missing.length === 0) || code === "throttled" ? "warning" : "error",
    message,
    details: {
      code: "provider_needs_attention",
      message,
      guidance: [
        ...guidanceFor(code),
        ...(missing.length === 0
          ? []
          : [`Variables of the service that are not set: ${missing.join(", ")}.`]),
      ],
    },
  };
};

const guidanceFor = (code: string): readonly string[] => {
  switch (code) {
    case "access_denied":
      return [
        "Give the service's policy `list` on <mount>/metadata/*, or do without the import of remote secrets.",
        "Reading needs `read` on <mount>/data/*; storing needs `create` and `update` there.",
        bootstrapRule,
      ];
    case "throttled":
      return ["Wait a moment, then check again."];
    case "provider_unavailable":
      return ["See that Vault is unsealed, and that the server reaches it."];
    default:
      return [bootstrapRule];
  }
};

const bootstrapRule =
  "The provider's bootstrap credentials come from the server runtime's environment and must not be stored as company secrets.";

const diagnosisOf = (deployment: VaultDeployment) => {
  const missing = missingOfVault(deployment);
  const isReady = missing.length === 0;
  return {
    provider: externalVaultId,
    status: isReady ? ("ok" as const) : ("warn" as const),
    message: isReady
      ? "The deployment is configured."
      : `The deployment is not configured: ${missing.join("; ")} missing.`,
    warnings: isReady ? [] : [bootstrapRule],
    backupGuidance: ["Back up Vault's storage: a backup of this service has none of its values."],
    details: {
      missingConfig: missing,
      optionalProviderConfig: ["address", "namespace", "mountPath", "secretPathPrefix"],
      authMethod: deployment.auth?.method ?? null,
      bootstrapRule,
    },
  } as const;
};
