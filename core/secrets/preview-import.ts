import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { candidateStatus, suggestionFor } from "../model/secrets/import-candidate.ts";
import type { CompanyId, VaultId } from "../model/shared/ids.ts";
import { findConflicts } from "./find-conflicts.ts";
import { vaultForImport } from "./vault-for-import.ts";

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
  (context: UseCaseContext, providers: SecretProviders) => (command: PreviewImport) =>
    Effect.gen(function* () {
      const { companyId, providerConfigId } = command;
      const vault = yield* context.transactor.transact((stores) =>
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
      return yield* transact(context, "secrets.previewImport", command.by, function* (unit) {
        const found = yield* findConflicts(unit, provider, vault, suggested);
        const candidates = suggested.map(({ canonicalRef, ...candidate }) => {
          const conflicts = found.of({ ...candidate, canonicalRef });
          return {
            ...candidate,
            status: candidateStatus(conflicts),
            importable: conflicts.length === 0,
            conflicts,
          };
        });
        yield* unit.log("secret.remote_import.previewed", vault, {
          provider: vault.provider,
          vaultId: vault.id,
          candidateCount: candidates.length,
          importableCount: candidates.filter(({ importable }) => importable).length,
        });
        return {
          providerConfigId: vault.id,
          provider: vault.provider,
          nextToken: page.nextToken,
          candidates,
        };
      });
    });
