import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { chmod, link, open, readFile, rm } from "node:fs/promises";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";

/** The key that all other keys of an installation come from. */
export interface MasterKey {
  /** First 16 hex digits of its SHA-256: tells keys apart, tells nothing of them. */
  readonly fingerprint: string;
  /** A key for one purpose. The same purpose always gives the same key; no key leads back to the master. */
  derive(purpose: string): Buffer;
}

export class MasterKeyUnusable extends Data.TaggedError("MasterKeyUnusable")<{ readonly message: string }> {}

export interface MasterKeySource {
  /** SERVICE_SECRETS_MASTER_KEY: 32 bytes as base64 or 64 hex digits; null takes the file. */
  readonly fromEnvironment: string | null;
  /** `<data>/master.key`. */
  readonly path: string;
  /** Fingerprint of the key the database was begun with; null for a fresh one. */
  readonly expected: string | null;
}

/**
 * Loads the master key; makes one only where the database knows of none yet. A key other than the expected one is
 * refused, and no file is ever written over.
 */
export const loadMasterKey = Effect.fnUntraced(function* ({
  fromEnvironment,
  path,
  expected,
}: MasterKeySource) {
  const where = fromEnvironment === null ? path : "SERVICE_SECRETS_MASTER_KEY";
  const stored = fromEnvironment ?? (yield* Effect.promise(() => readKeyFile(path)));
  if (stored === null && expected !== null)
    return yield* refuse(
      `There is no master key at ${path}, but the database was begun with the one of fingerprint ${expected}. Restore the file from your backup, or set SERVICE_SECRETS_MASTER_KEY.`,
    );
  const text = stored ?? (yield* Effect.promise(() => createKeyFile(path)));
  const bytes = decode(text.trim());
  if (bytes === null)
    return yield* refuse(`The master key in ${where} is not 32 bytes, as base64 or as 64 hex digits.`);
  const key = masterKey(bytes);
  if (expected !== null && key.fingerprint !== expected)
    return yield* refuse(
      `The master key in ${where} has the fingerprint ${key.fingerprint}, but the database was begun with the one of fingerprint ${expected}. Services that share a database share the key.`,
    );
  return key;
});

const refuse = (message: string) => Effect.fail(new MasterKeyUnusable({ message }));

const decode = (text: string): Buffer | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return null;
  return Buffer.from(text, "base64");
};

const masterKey = (bytes: Buffer): MasterKey => ({
  fingerprint: createHash("sha256").update(bytes).digest("hex").slice(0, 16),
  derive: (purpose) => Buffer.from(hkdfSync("sha256", bytes, "boardroom", purpose, 32)),
});

const readKeyFile = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};

/** Written beside and linked into place: the file is whole or not there, and an existing one wins. */
const createKeyFile = async (path: string): Promise<string> => {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString("base64")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  await rm(draft, { force: true });
  await chmod(path, 0o600);
  return readFile(path, "utf8");
};
