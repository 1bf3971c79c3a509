import { stat } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { ProviderError, ProviderInvalidRequest } from "../../core/model/secrets/provider-failure.ts";
import type { Health } from "../../core/model/vaults/vault.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { MasterKeys, SecretProvider } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { fingerprintOf } from "./reference-fingerprint.ts";

export interface LocalEncrypted {
  readonly transactor: Transactor;
  readonly cipher: SecretCipher;
  /** null: the master key comes from SERVICE_SECRETS_MASTER_KEY. */
  readonly keyFile: string | null;
  readonly masterKeys: Pick<MasterKeys, "fingerprint">;
}

const id = "local_encrypted";

/** Stores values in the service's database, encrypted with keys from the master key. */
export const localEncrypted = (parts: LocalEncrypted): SecretProvider => {
  const { transactor, cipher, keyFile } = parts;
  const owner = (
    companyId: Parameters<SecretProvider["keep"]>[0]["companyId"],
    of: { secretId: string; version: number },
  ) => ({
    companyId,
    kind: "secret",
    id: of.secretId,
    version: of.version,
  });
  const linksNothing = Effect.suspend(() => Effect.fail(new ProviderInvalidRequest({ provider: id })));
  return {
    id,
    isLocked: false,
    linksReferences: false,
    keep: ({ companyId }, as, value) =>
      transactor
        .transact(({ dataKeys }) => cipher.seal(dataKeys, owner(companyId, as), value))
        .pipe(Effect.map((sealed) => ({ sealed, externalRef: null, providerVersionRef: null }))),
    read: ({ companyId }, of, { sealed }) =>
      sealed === null
        ? linksNothing
        : transactor
            .transact(({ dataKeys }) => cipher.open(dataKeys, owner(companyId, of), sealed))
            .pipe(Effect.mapError(({ reason }) => new ProviderError({ provider: id, reason }))),
    list: () => linksNothing,
    describe: () => linksNothing,
    canonical: () => null,
    manages: () => false,
    namesOf: () => [],
    fingerprint: fingerprintOf(id),
    probe: ({ vault }) =>
      Effect.promise(() => troubleWith(keyFile)).pipe(
        Effect.map((trouble): Health => {
          if (trouble !== null)
            return attention("The master key's file needs attention.", [trouble, ...backupGuidance]);
          return vault?.config.backupReminderAcknowledged === true
            ? {
                status: "ready",
                message: "Values are kept encrypted in the service's database.",
                details: { code: "provider_ready", message: "The master key is loaded.", guidance: [] },
              }
            : {
                status: "ready",
                message: "Values are kept encrypted in the service's database.",
                details: {
                  code: "provider_ready",
                  message: "The master key is loaded.",
                  guidance: backupGuidance,
                },
              };
        }),
      ),
    diagnose: () =>
      Effect.all([Effect.promise(() => troubleWith(keyFile)), parts.masterKeys.fingerprint()]).pipe(
        Effect.map(([trouble, keyFingerprint]) => ({
          provider: id,
          status: trouble === null ? ("ok" as const) : ("warn" as const),
          message:
            trouble === null
              ? "Values are kept encrypted in the service's database."
              : "The master key's file needs attention.",
          warnings: trouble === null ? [] : [trouble],
          backupGuidance,
          details: {
            keySource: keyFile === null ? "env" : "file",
            ...(keyFile === null ? {} : { keyFilePath: keyFile }),
            keyFingerprint,
          },
        })),
      ),
  };
};

const backupGuidance = [
  "Back up the master key separately from the database: neither is usable without the other.",
  "A backup of the database opens with the master key of its day: keep old keys as long as old backups.",
  "After a change of the master key (boardroom secrets rotate-master-key) back up both anew.",
];

const attention = (message: string, guidance: readonly string[]): Health => ({
  status: "warning",
  message,
  details: { code: "provider_needs_attention", message, guidance },
});

/** Returns a problem of the file, or null. The key itself is in memory, so the service continues meanwhile. */
const troubleWith = async (keyFile: string | null): Promise<string | null> => {
  if (keyFile === null) return null;
  try {
    const { mode } = await stat(keyFile);
    return (mode & 0o077) === 0
      ? null
      : "The master key's file can be read by others than its owner: chmod 600 it.";
  } catch {
    return "The master key's file is gone: put it back from your backup before the service stops.";
  }
};
