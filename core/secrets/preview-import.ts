import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { SecretProvider, SecretProviders } from "../../ports/secret-provider.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { CompanyId, VaultId } from "../shared/ids.ts";
import { type Vault, VaultUnusable } from "../vaults/vault.ts";
import { candidateStatus, conflictsOf, suggestionFor } from "./import-candidate.ts";

export interface PreviewImport {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly providerConfigId: VaultId;
  readonly query?: string | undefined;
  readonly nextToken?: string | undefined;
  readonly pageSize: number;
}

/** Lists what can be linked from a vault, with the conflicts. Reads no value. */
export const previewImport =
  (transactor: Transactor, clock: Clock, providers: SecretProviders) => (command: PreviewImport) =>
    Effect.gen(function* () {
      const { companyId, providerConfigId } = command;
      const vault = yield* transactor.transact((stores) =>
        vaultForImport(stores, companyId, providerConfigId),
      );
      const provider = providers.of(vault.provider);
      const scope = { companyId, vault };
      const page = yield* provider.list(scope, {
        query: command.query?.trim() || null,
        nextToken: command.nextToken ?? null,
        pageSize: command.pageSize,
      });
      const suggested = page.items.map((item) => ({
        ...item,
        ...suggestionFor(item.remoteName, item.externalRef),
        canonicalRef: provider.canonical(scope, item.externalRef) ?? item.externalRef,
      }));
      return yield* transactor.transact((stores) =>
        Effect.gen(function* () {
          const existing = yield* stores.secrets.existing(companyId, {
            names: suggested.map(({ name }) => name),
            keys: suggested.map(({ key }) => key),
            references: {
              provider: vault.provider,
              vaultId: vault.id,
              canonical: suggested.map(({ canonicalRef }) => canonicalRef),
            },
          });
          const guarded = yield* guardOf(
            stores,
            provider,
            vault,
            suggested.map(({ externalRef }) => externalRef),
          );
          const candidates = suggested.map(({ canonicalRef, ...candidate }) => {
            const conflicts = conflictsOf(
              { ...candidate, canonicalRef, guarded: guarded(candidate.externalRef) },
              existing,
            );
            return {
              ...candidate,
              status: candidateStatus(conflicts),
              importable: conflicts.length === 0,
              conflicts,
            };
          });
          yield* stores.activity.append({
            companyId,
            by: command.by,
            at: clock.now(),
            action: "secret.remote_import.previewed",
            entityId: vault.id,
            details: {
              provider: vault.provider,
              vaultId: vault.id,
              candidateCount: candidates.length,
              importableCount: candidates.filter(({ importable }) => importable).length,
            },
          });
          return {
            providerConfigId: vault.id,
            provider: vault.provider,
            nextToken: page.nextToken,
            candidates,
          };
        }),
      );
    });

/** Returns a usable vault of the company whose provider can list. */
export const vaultForImport = Effect.fnUntraced(function* (
  stores: Pick<Stores, "vaults">,
  companyId: CompanyId,
  vaultId: VaultId,
) {
  const vault = yield* stores.vaults.hold(companyId, vaultId);
  if (vault === null) return yield* Effect.fail(ReferenceNotFound.at("providerConfigId"));
  if (vault.provider !== "cloud_a_secrets_manager")
    return yield* Effect.fail(
      new VaultUnusable({ reason: "provider_mismatch" }, "Vaults of that provider have nothing to import."),
    );
  if (vault.status !== "ready" && vault.status !== "warning")
    return yield* Effect.fail(
      new VaultUnusable({ reason: vault.status }, `The vault cannot be used: its status is ${vault.status}.`),
    );
  return vault;
});

/** Finds the references in the namespace that the service manages, for this company or another. */
export const guardOf = Effect.fnUntraced(function* (
  stores: Pick<Stores, "secrets">,
  provider: SecretProvider,
  vault: Vault,
  references: readonly string[],
) {
  const managed = yield* stores.secrets.managedNames(references.flatMap(provider.namesOf));
  return (reference: string): boolean =>
    provider.manages({ companyId: vault.companyId, vault }, reference) ||
    provider.namesOf(reference).some((name) => managed.has(name));
});
