import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
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
      return yield* transact(transactor, function* (stores) {
        const found = yield* findConflicts(stores, provider, vault, suggested);
        const candidates = suggested.map(({ canonicalRef, ...candidate }) => {
          const conflicts = found.of({ ...candidate, canonicalRef });
          return {
            ...candidate,
            status: candidateStatus(conflicts),
            importable: conflicts.length === 0,
            conflicts,
          };
        });
        yield* logAction(stores, vault, command.by, clock.now(), "secret.remote_import.previewed", {
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
