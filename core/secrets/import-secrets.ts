import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretProvider, SecretProviders } from "../../ports/secret-provider.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, authorOf } from "../access/caller.ts";
import type { CompanyId, SecretId, VaultId, VersionId } from "../shared/ids.ts";
import type { Vault } from "../vaults/vault.ts";
import { insertWithFirstVersion } from "./create-secret.ts";
import { type Conflict, conflictsOf, type Existing } from "./import-candidate.ts";
import { type ImportRow, rowOf } from "./import-row.ts";
import { guardOf, vaultForImport } from "./preview-import.ts";
import type { Secret } from "./secret.ts";

export interface ImportSecrets {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly providerConfigId: VaultId;
  /** Rows as they came; each is judged for itself. */
  readonly secrets: readonly Readonly<Record<string, unknown>>[];
}

export interface ImportResult {
  readonly externalRef: string | null;
  readonly name: string | null;
  readonly key: string | null;
  readonly status: "imported" | "skipped" | "error";
  readonly reason: string | null;
  /** The secret that was made, or the one that was there. */
  readonly secretId: SecretId | null;
  readonly conflicts: readonly Conflict[];
}

/** How often an import looks again when somebody else took a name, a key or a reference at the same moment. */
const looks = 5;

/** Links references of a vault. What a preview said is looked at again, in the transaction that makes the secrets. */
export const importSecrets =
  (transactor: Transactor, clock: Clock, ids: Ids, providers: SecretProviders) => (command: ImportSecrets) =>
    transactor
      .transact((stores) =>
        Effect.gen(function* () {
          const { companyId, by } = command;
          const at = clock.now();
          const vault = yield* vaultForImport(stores, companyId, command.providerConfigId);
          const provider = providers.of(vault.provider);
          const named = (reference: string) => provider.canonical({ companyId, vault }, reference);
          const canonical = (row: ImportRow) => named(row.externalRef);
          const rows = command.secrets.map((given) => ({ given, row: rowOf(given, named) }));
          const read = rows.flatMap(({ row }) => (Result.isSuccess(row) ? [row.success] : []));
          const existing: Existing[] = [
            ...(yield* stores.secrets.existing(companyId, {
              names: read.map(({ name }) => name),
              keys: read.map(({ key }) => key),
              references: {
                provider: vault.provider,
                vaultId: vault.id,
                canonical: read.flatMap((row) => canonical(row) ?? []),
              },
            })),
          ];
          const isGuarded = yield* guardOf(
            stores,
            provider,
            vault,
            read.map(({ externalRef }) => externalRef),
          );
          const results: ImportResult[] = [];
          for (const { given, row } of rows) {
            if (Result.isFailure(row)) {
              results.push({ ...wordsOf(given), ...noSecret, status: "error", reason: row.failure });
              continue;
            }
            const wanted = row.success;
            const said = { externalRef: wanted.externalRef, name: wanted.name, key: wanted.key };
            const canonicalRef = canonical(wanted);
            if (canonicalRef === null) {
              results.push({
                ...said,
                ...noSecret,
                status: "error",
                reason: "The provider has no such reference.",
              });
              continue;
            }
            const conflicts = conflictsOf(
              { ...wanted, canonicalRef, guarded: isGuarded(wanted.externalRef) },
              existing,
            );
            if (conflicts.length > 0) {
              results.push({ ...said, ...judged(conflicts), conflicts });
              continue;
            }
            const secret = yield* link(stores, provider, vault, wanted, canonicalRef, {
              id: ids.next<"secret">(),
              versionId: ids.next<"secret_version">(),
              by,
              at,
            });
            existing.push(secret);
            results.push({ ...said, status: "imported", reason: null, secretId: secret.id, conflicts: [] });
          }
          const count = (status: ImportResult["status"]) =>
            results.filter((result) => result.status === status).length;
          const counts = {
            importedCount: count("imported"),
            skippedCount: count("skipped"),
            errorCount: count("error"),
          };
          yield* stores.activity.append({
            companyId,
            by,
            at,
            action: "secret.remote_import.completed",
            entityId: vault.id,
            details: { provider: vault.provider, vaultId: vault.id, ...counts },
          });
          return { providerConfigId: vault.id, provider: vault.provider, ...counts, results };
        }),
      )
      .pipe(
        Effect.retry({
          times: looks,
          while: (refused) => takenMeanwhile.has(refused.code),
        }),
      );

const takenMeanwhile: ReadonlySet<string> = new Set([
  "secret_name_taken",
  "secret_key_taken",
  "secret_reference_taken",
]);

const noSecret = { secretId: null, conflicts: [] };

/** Of a row that did not read well, what can be shown of it. */
const wordsOf = (given: Readonly<Record<string, unknown>>) => {
  const word = (value: unknown) => (typeof value === "string" && value.length <= 2048 ? value : null);
  return { externalRef: word(given.externalRef), name: word(given.name), key: word(given.key) };
};

const judged = (conflicts: readonly Conflict[]): Pick<ImportResult, "status" | "reason" | "secretId"> => {
  const [first] = conflicts;
  switch (first!.type) {
    case "provider_guardrail":
      return { status: "error", reason: "provider_guardrail", secretId: null };
    case "exact_reference":
      return {
        status: "skipped",
        reason: "exact_reference_duplicate",
        secretId: first!.existingSecretId ?? null,
      };
    default:
      return { status: "skipped", reason: "name_or_key_conflict", secretId: null };
  }
};

const link = Effect.fnUntraced(function* (
  stores: Stores,
  provider: SecretProvider,
  vault: Vault,
  row: ImportRow,
  canonicalRef: string,
  made: { readonly id: SecretId; readonly versionId: VersionId; readonly by: Actor; readonly at: string },
) {
  const secret: Secret = {
    id: made.id,
    companyId: vault.companyId,
    key: row.key,
    name: row.name,
    description: row.description,
    provider: vault.provider,
    vaultId: vault.id,
    managedMode: "external_reference",
    status: "active",
    externalRef: row.externalRef,
    canonicalRef,
    providerMetadata: row.providerMetadata,
    latestVersion: 1,
    lastResolvedAt: null,
    lastRotatedAt: null,
    ...authorOf(made.by),
    createdAt: made.at,
    updatedAt: made.at,
  };
  yield* insertWithFirstVersion(
    stores,
    provider,
    secret,
    { sealed: null, externalRef: row.externalRef, providerVersionRef: row.providerVersionRef },
    { versionId: made.versionId, isShort: null, by: made.by, at: made.at },
  );
  return secret;
});
