import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import { z } from "zod";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import { BackupFailed, BackupUnusable } from "../backup/backup-failures.ts";
import type { Installation } from "../backup/installation.ts";
import { aesCipher } from "../local/aes-cipher.ts";
import type { CopiedCompany } from "../postgres/company-move/copied-company.ts";
import type { SealedValue } from "../postgres/company-move/read-company.ts";
import type { openDatabase } from "../postgres/connection.ts";
import { dataKeyStore } from "../postgres/stores/data-key-store.ts";
import type { Statements } from "../postgres/transaction.ts";

type Sql = ReturnType<typeof openDatabase>;

/** The name of their file in an archive, which a passphrase encrypts. */
export const valuesName = "secrets/values.json";

/** Values of the versions of secrets, by the ids of the versions. */
const Values = z.record(z.string(), z.string());
export type SecretValues = z.infer<typeof Values>;

export const readValues = (text: string): SecretValues => {
  try {
    return Values.parse(JSON.parse(text));
  } catch {
    throw new BackupUnusable("The secrets in the file aren't valid.");
  }
};

const statementsOn = (sql: Sql): Statements => {
  const read: Statements["read"] = (statement) => Effect.promise(() => statement(sql));
  const write: Statements["write"] = (statement) => Effect.asVoid(Effect.promise(() => statement(sql)));
  return {
    read,
    first: (statement) => Effect.map(read(statement), (rows) => rows[0] ?? null),
    write,
    writeEvent: write,
  };
};

/** Opens the values with the master key of the service. */
export const openValues = async (
  installation: Installation,
  sql: Sql,
  companyId: string,
  sealed: readonly SealedValue[],
): Promise<SecretValues> => {
  if (sealed.length === 0) return {};
  const cipher = aesCipher(await installation.keyRing(sql, "read"));
  const dataKeys = dataKeyStore(statementsOn(sql));
  const values: Record<string, string> = {};
  for (const { id, secretId, version, sealed: bytes } of sealed) {
    const owner = { companyId: companyId as CompanyId, kind: "secret", id: secretId, version };
    const opened = await Effect.runPromise(Effect.result(cipher.open(dataKeys, owner, bytes)));
    if (Result.isFailure(opened))
      throw new BackupFailed("The master key can't decrypt the company's secrets.");
    values[id] = Redacted.value(opened.success);
  }
  return values;
};

/**
 * Seals the values for the copy, and enables what was enabled in the original. Returns the names of secrets without a
 * value.
 */
export const sealValues = async (
  installation: Installation,
  copy: CopiedCompany,
  values: ReadonlyMap<string, string>,
): Promise<readonly string[]> => {
  const versions = await copy.versions();
  if (versions.length === 0) return [];
  const cipher = aesCipher(await installation.keyRing(copy.sql, "recorded"));
  const dataKeys = dataKeyStore(statementsOn(copy.sql));
  for (const { id, secretId, version } of versions) {
    const value = values.get(id);
    const owner = { companyId: copy.id as CompanyId, kind: "secret", id: secretId, version };
    const sealed = await Effect.runPromise(cipher.seal(dataKeys, owner, Redacted.make(value ?? "")));
    await copy.seal(id, sealed, value !== undefined);
  }
  return versions.filter(({ id, isLatest }) => isLatest && !values.has(id)).map(({ name }) => name);
};
