import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { SecretProvider, SecretProviders } from "../../ports/secret-provider.ts";
import { transact, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import { type Actor, authorOf } from "../model/access/caller.ts";
import type { Conflict } from "../model/secrets/import-candidate.ts";
import { type ImportRow, rowOf } from "../model/secrets/import-row.ts";
import type { Secret } from "../model/secrets/secret.ts";
import type { CompanyId, SecretId, VaultId, VersionId } from "../model/shared/ids.ts";
import type { Vault } from "../model/vaults/vault.ts";
import { insertWithFirstVersion } from "./create-secret.ts";
import { findConflicts } from "./find-conflicts.ts";
import { vaultForImport } from "./vault-for-import.ts";

export interface ImportSecrets {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly providerConfigId: VaultId;
  /** Unvalidated rows; each is checked separately. */
  readonly secrets: readonly Readonly<Record<string, unknown>>[];
}

export interface ImportResult {
  readonly externalRef: string | null;
  readonly name: string | null;
  readonly key: string | null;
  readonly status: "imported" | "skipped" | "error";
  readonly reason: string | null;
  /** The created or existing secret. */
  readonly secretId: SecretId | null;
  readonly conflicts: readonly Conflict[];
}

/** The number of retries after a concurrent request takes a name, a key or a reference. */
const attempts = 5;

/** The number of concurrent lookups of references. */
const concurrency = 8;

/**
 * Links references of a vault. Asks the provider first whether each exists; the conflicts of a preview are checked
 * again in the transaction that creates the secrets.
 */
export const importSecrets =
  (context: UseCaseContext, providers: SecretProviders) => (command: ImportSecrets) =>
    Effect.gen(function* () {
      const { companyId, providerConfigId } = command;
      const vault = yield* context.transactor.transact((stores) =>
        vaultForImport(stores, companyId, providerConfigId),
      );
      const provider = providers.of(vault.provider);
      const rows = rowsOf(command, provider, vault);
      const missing = yield* lookUp(provider, vault, rows);
      return yield* transact(context, "secrets.import", command.by, function* (unit) {
        return yield* linkRows(unit, { command, provider, rows, missing });
      }).pipe(Effect.retry({ times: attempts, while: (refused) => takenMeanwhile.has(refused.code) }));
    });

type LinkableRow = ImportRow & { readonly canonicalRef: string };

interface ReadRow {
  readonly given: Readonly<Record<string, unknown>>;
  /** The row with its canonical reference, or a sentence about its error. */
  readonly row: Result.Result<LinkableRow, string>;
}

const rowsOf = (
  { companyId, secrets }: ImportSecrets,
  provider: SecretProvider,
  vault: Vault,
): readonly ReadRow[] => {
  const canonical = (reference: string) => provider.canonical({ companyId, vault }, reference);
  return secrets.map((given) => ({
    given,
    row: Result.flatMap(rowOf(given, canonical), (row) => {
      const canonicalRef = canonical(row.externalRef);
      return canonicalRef === null
        ? Result.fail("The provider has nothing at this reference.")
        : Result.succeed({ ...row, canonicalRef });
    }),
  }));
};

const read = (rows: readonly ReadRow[]) =>
  rows.flatMap(({ row }) => (Result.isSuccess(row) ? [row.success] : []));

/** Why the provider does not confirm a reference, by reference. */
const lookUp = Effect.fnUntraced(function* (
  provider: SecretProvider,
  vault: Vault,
  rows: readonly ReadRow[],
) {
  const references = [...new Set(read(rows).map(({ externalRef }) => externalRef))];
  const found = yield* Effect.forEach(
    references,
    (reference) =>
      Effect.result(provider.describe({ companyId: vault.companyId, vault }, reference)).pipe(
        Effect.map((answer) => [reference, answer] as const),
      ),
    { concurrency },
  );
  return new Map(
    found.flatMap(([reference, answer]) =>
      Result.isFailure(answer) ? [[reference, answer.failure.message] as const] : [],
    ),
  );
});

interface Import {
  readonly command: ImportSecrets;
  readonly provider: SecretProvider;
  readonly rows: readonly ReadRow[];
  readonly missing: ReadonlyMap<string, string>;
}

const linkRows = Effect.fnUntraced(function* (unit: UnitOfWork, asked: Import) {
  const { provider, rows, missing } = asked;
  const { companyId, providerConfigId } = asked.command;
  const vault = yield* vaultForImport(unit, companyId, providerConfigId);
  const conflicts = yield* findConflicts(unit, provider, vault, read(rows));
  const results: ImportResult[] = [];
  for (const { given, row } of rows) {
    if (Result.isFailure(row)) {
      results.push({ ...printableFields(given), ...failed(row.failure) });
      continue;
    }
    const { externalRef, name, key } = row.success;
    const found = conflicts.of(row.success);
    const unconfirmed = missing.get(externalRef);
    if (found.length > 0) results.push({ externalRef, name, key, ...judged(found) });
    else if (unconfirmed !== undefined) results.push({ externalRef, name, key, ...failed(unconfirmed) });
    else {
      const made = { id: unit.newId<"secret">(), versionId: unit.newId<"secret_version">() };
      const secret = yield* link(unit, provider, vault, row.success, made);
      conflicts.add(secret);
      results.push({ externalRef, name, key, ...imported(secret.id) });
    }
  }
  const counts = countsOf(results);
  // Counts only: agents read the log, and names and references belong to the provider.
  yield* unit.log("secret.remote_import.completed", vault, {
    provider: vault.provider,
    vaultId: vault.id,
    ...counts,
  });
  return { providerConfigId: vault.id, provider: vault.provider, ...counts, results };
});

const takenMeanwhile: ReadonlySet<string> = new Set([
  "secret_name_taken",
  "secret_key_taken",
  "secret_reference_taken",
]);

type Outcome = Pick<ImportResult, "status" | "reason" | "secretId" | "conflicts">;

const imported = (secretId: SecretId): Outcome => ({
  status: "imported",
  reason: null,
  secretId,
  conflicts: [],
});

const failed = (reason: string): Outcome => ({ status: "error", reason, secretId: null, conflicts: [] });

const countsOf = (results: readonly ImportResult[]) => {
  const count = (status: ImportResult["status"]) =>
    results.filter((result) => result.status === status).length;
  return {
    importedCount: count("imported"),
    skippedCount: count("skipped"),
    errorCount: count("error"),
  };
};

/** The printable part of an invalid row. */
const printableFields = (given: Readonly<Record<string, unknown>>) => {
  const printable = (value: unknown) => (typeof value === "string" && value.length <= 2048 ? value : null);
  return {
    externalRef: printable(given.externalRef),
    name: printable(given.name),
    key: printable(given.key),
  };
};

const judged = (conflicts: readonly Conflict[]): Outcome => {
  const [first] = conflicts;
  switch (first!.type) {
    case "provider_guardrail":
      return { status: "error", reason: "provider_guardrail", secretId: null, conflicts };
    case "exact_reference":
      return {
        status: "skipped",
        reason: "exact_reference_duplicate",
        secretId: first!.existingSecretId ?? null,
        conflicts,
      };
    default:
      return { status: "skipped", reason: "name_or_key_conflict", secretId: null, conflicts };
  }
};

const link = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  provider: SecretProvider,
  vault: Vault,
  row: LinkableRow,
  made: { readonly id: SecretId; readonly versionId: VersionId },
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
    canonicalRef: row.canonicalRef,
    providerMetadata: row.providerMetadata,
    latestVersion: 1,
    lastResolvedAt: null,
    lastRotatedAt: null,
    ...authorOf(unit.by),
    createdAt: unit.at,
    updatedAt: unit.at,
  };
  yield* insertWithFirstVersion(
    unit,
    provider,
    secret,
    { sealed: null, externalRef: row.externalRef, providerVersionRef: row.providerVersionRef },
    { versionId: made.versionId, isShort: null },
  );
  return secret;
});
