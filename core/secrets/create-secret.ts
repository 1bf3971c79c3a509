import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import type {
  SecretProvider,
  SecretProviders,
  StoredLocation,
  VaultScope,
} from "../../ports/secret-provider.ts";
import type { Stores } from "../../ports/transactor.ts";
import { transact, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import { type Actor, authorOf } from "../model/access/caller.ts";
import { conflictsOf } from "../model/secrets/import-candidate.ts";
import {
  descriptionOf,
  fieldInvalid,
  keyOf,
  maskedFromLength,
  ProviderNotSupported,
  ReferenceGuarded,
  ReferenceTaken,
  type Secret,
  SecretKeyEmpty,
  SecretKeyTaken,
  SecretNameTaken,
} from "../model/secrets/secret.ts";
import type { ValidationFailed } from "../model/shared/failure.ts";
import type { CompanyId, SecretId, VaultId, VersionId } from "../model/shared/ids.ts";
import type { Change } from "../model/shared/patch.ts";
import type { ProviderId } from "../model/vaults/provider.ts";
import { scopeFor } from "./vault-scope.ts";

export interface CreateSecret
  extends Change<Secret, "key" | "description" | "managedMode" | "providerMetadata"> {
  readonly id: SecretId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
  /** Default: the deployment's own provider. */
  readonly provider?: ProviderId | undefined;
  readonly value?: Redacted.Redacted<string> | undefined;
  readonly externalRef?: string | undefined;
  readonly providerVersionRef?: string | null | undefined;
  readonly providerConfigId?: VaultId | null | undefined;
}

/**
 * Stores a value, or links a reference. The provider is called between two transactions: the first refuses invalid
 * requests before a value is stored, the second creates the secret.
 */
export const createSecret =
  (context: UseCaseContext, providers: SecretProviders) => (command: CreateSecret) =>
    Effect.gen(function* () {
      const { companyId } = command;
      const provider = providers.of(command.provider ?? providers.default);
      const key = command.key ?? keyOf(command.name);
      if (key === "") return yield* Effect.fail(new SecretKeyEmpty({ path: ["key"] }));
      const asked = yield* Effect.fromResult(shapeOf(command, provider));
      const vaultId = command.providerConfigId ?? null;
      const named = { name: command.name, key };
      const prepared = yield* transact(context, "secrets.create", command.by, function* (unit) {
        const scope = yield* scopeFor(unit, companyId, provider.id, vaultId);
        const canonicalRef = yield* checkFree(unit, provider, scope, named, asked);
        return { scope, canonicalRef };
      });
      const stored: StoredLocation =
        "value" in asked
          ? yield* provider.keep(prepared.scope, { secretId: command.id, key, version: 1 }, asked.value)
          : {
              sealed: null,
              externalRef: asked.externalRef,
              providerVersionRef: command.providerVersionRef ?? null,
            };
      return yield* transact(context, "secrets.create", command.by, function* (unit) {
        yield* scopeFor(unit, companyId, provider.id, vaultId);
        const secret: Secret = {
          id: command.id,
          companyId,
          ...named,
          description: descriptionOf(command.description),
          provider: provider.id,
          vaultId,
          managedMode: "value" in asked ? "service_managed" : "external_reference",
          status: "active",
          externalRef: "value" in asked ? null : asked.externalRef,
          canonicalRef: prepared.canonicalRef,
          providerMetadata: command.providerMetadata ?? null,
          latestVersion: 1,
          lastResolvedAt: null,
          lastRotatedAt: null,
          ...authorOf(unit.by),
          createdAt: unit.at,
          updatedAt: unit.at,
        };
        yield* insertWithFirstVersion(unit, provider, secret, stored, {
          versionId: unit.newId<"secret_version">(),
          isShort: "value" in asked ? isShort(asked.value) : null,
        });
        yield* unit.log("secret.created", secret, {
          key,
          provider: secret.provider,
          managedMode: secret.managedMode,
        });
        return secret;
      });
    });

export const isShort = (value: Redacted.Redacted<string>): boolean =>
  Redacted.value(value).length < maskedFromLength;

interface FirstVersion {
  readonly versionId: VersionId;
  readonly isShort: boolean | null;
}

/** Inserts a secret with its first version. The caller decides whether the activity log names it. */
export const insertWithFirstVersion = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  provider: SecretProvider,
  secret: Secret,
  stored: StoredLocation,
  { versionId, isShort }: FirstVersion,
) {
  yield* unit.secrets.insert(secret);
  yield* unit.secrets.insertVersion({
    id: versionId,
    secretId: secret.id,
    companyId: secret.companyId,
    version: 1,
    vaultId: secret.vaultId,
    ...stored,
    fingerprint:
      secret.externalRef === null
        ? null
        : provider.fingerprint(secret.externalRef, stored.providerVersionRef),
    isShort,
    disabledAt: null,
    ...authorOf(unit.by),
    createdAt: unit.at,
  });
});

type Asked = { readonly value: Redacted.Redacted<string> } | { readonly externalRef: string };

/** Checks the body: either a value to store or a reference to link. */
const shapeOf = (
  command: CreateSecret,
  provider: SecretProvider,
): Result.Result<Asked, ValidationFailed | ProviderNotSupported> => {
  const { managedMode = "service_managed", value, externalRef } = command;
  const wrong = (field: string, message: string) => Result.fail(fieldInvalid(field, message));
  if (managedMode === "external_reference") {
    if (value !== undefined) return wrong("value", "isn't allowed for an external reference");
    if (externalRef === undefined) return wrong("externalRef", "is required for an external reference");
    if (provider.isLocked) return Result.fail(new ProviderNotSupported({ provider: provider.id }));
    if (!provider.linksReferences)
      return wrong("managedMode", `${provider.id} doesn't support external references`);
    return Result.succeed({ externalRef });
  }
  if (externalRef !== undefined) return wrong("externalRef", "is allowed only for an external reference");
  if (command.providerVersionRef != null)
    return wrong("providerVersionRef", "is allowed only for an external reference");
  if (value === undefined || Redacted.value(value).trim() === "")
    return wrong("value", "is required and must not be blank");
  if (provider.isLocked) return Result.fail(new ProviderNotSupported({ provider: provider.id }));
  return Result.succeed({ value });
};

/** Refuses a name, key or reference that is in use. Returns the canonical reference, or null. */
const checkFree = Effect.fnUntraced(function* (
  stores: Stores,
  provider: SecretProvider,
  scope: VaultScope,
  named: { readonly name: string; readonly key: string },
  asked: Asked,
) {
  const reference = "externalRef" in asked ? asked.externalRef : null;
  const canonicalRef = reference === null ? null : provider.canonical(scope, reference);
  if (reference !== null && canonicalRef === null)
    return yield* Effect.fail(fieldInvalid("externalRef", "isn't a valid reference for this provider"));
  const existing = yield* stores.secrets.existing(scope.companyId, {
    names: [named.name],
    keys: [named.key],
    references:
      canonicalRef === null
        ? null
        : { provider: provider.id, vaultId: scope.vault?.id ?? null, canonical: [canonicalRef] },
  });
  const guarded =
    reference !== null &&
    (provider.manages(scope, reference) ||
      (yield* stores.secrets.managedNames(provider.namesOf(reference))).size > 0);
  const [conflict] = conflictsOf({ ...named, canonicalRef: canonicalRef ?? "", guarded }, existing);
  switch (conflict?.type) {
    case "provider_guardrail":
      return yield* Effect.fail(new ReferenceGuarded({ path: ["externalRef"] }));
    case "exact_reference":
      return yield* Effect.fail(new ReferenceTaken({ existingSecretId: conflict.existingSecretId }));
    case "name":
      return yield* Effect.fail(new SecretNameTaken({ existingSecretId: conflict.existingSecretId }));
    case "key":
      return yield* Effect.fail(new SecretKeyTaken({ existingSecretId: conflict.existingSecretId }));
    case undefined:
      return canonicalRef;
  }
});
