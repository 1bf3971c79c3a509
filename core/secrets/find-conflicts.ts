import * as Effect from "effect/Effect";
import type { SecretProvider } from "../../ports/secret-provider.ts";
import type { Stores } from "../../ports/transactor.ts";
import { type Conflict, conflictsOf, type Existing, type Wanted } from "../model/secrets/import-candidate.ts";
import type { Vault } from "../model/vaults/vault.ts";

type Candidate = Omit<Wanted, "guarded"> & { readonly externalRef: string };

export interface Conflicts {
  of(candidate: Candidate): readonly Conflict[];
  /** A secret that was created since. */
  add(secret: Existing): void;
}

/** Reads once what any of the candidates could conflict with. */
export const findConflicts = Effect.fnUntraced(function* (
  stores: Pick<Stores, "secrets">,
  provider: SecretProvider,
  vault: Vault,
  candidates: readonly Candidate[],
) {
  const existing = [
    ...(yield* stores.secrets.existing(vault.companyId, {
      names: candidates.map(({ name }) => name),
      keys: candidates.map(({ key }) => key),
      references: {
        provider: vault.provider,
        vaultId: vault.id,
        canonical: candidates.map(({ canonicalRef }) => canonicalRef),
      },
    })),
  ];
  const managed = yield* stores.secrets.managedNames(
    candidates.flatMap(({ externalRef }) => provider.namesOf(externalRef)),
  );
  /** It is in the namespace that the service manages, for this company or another. */
  const isGuarded = (reference: string): boolean =>
    provider.manages({ companyId: vault.companyId, vault }, reference) ||
    provider.namesOf(reference).some((name) => managed.has(name));
  const conflicts: Conflicts = {
    of: (candidate) => conflictsOf({ ...candidate, guarded: isGuarded(candidate.externalRef) }, existing),
    add: (secret) => void existing.push(secret),
  };
  return conflicts;
});
