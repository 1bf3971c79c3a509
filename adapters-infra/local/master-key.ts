import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import { createFileOnce } from "./create-file-once.ts";

/** The key from which all other keys of an installation derive. */
export interface MasterKey {
  /** First 16 hex digits of its SHA-256: distinguishes keys without revealing them. */
  readonly fingerprint: string;
  /** Derives a key for one purpose, always the same. A derived key does not reveal the master key. */
  derive(purpose: string): Buffer;
}

/** Derives other keys. */
export type KeySource = Pick<MasterKey, "derive">;

/** The available master keys. There are several while the key changes, by this service or another. */
export interface KeyRing {
  /** The key that was current when the service started. */
  readonly current: MasterKey;
  /** Finds a key; reads the key files again where it is unknown. */
  find(fingerprint: string): MasterKey | null;
  /**
   * Returns the next key: SERVICE_SECRETS_MASTER_KEY_NEXT where the current one is a variable (null where it is not
   * set), otherwise a fresh one, stored next to the current file (`master.key.<fingerprint>`) before this returns.
   */
  next(): MasterKey | null;
  /** Replaces `master.key` with the file of that key. Call it once the database names that key. */
  adopt(fingerprint: string): void;
}

class MasterKeyUnusable extends Data.TaggedError("MasterKeyUnusable")<{ readonly message: string }> {}

export interface MasterKeySource {
  /** SERVICE_SECRETS_MASTER_KEY: 32 bytes as base64 or 64 hex digits; null means the file. */
  readonly fromEnvironment: string | null;
  /** SERVICE_SECRETS_MASTER_KEY_NEXT: the key to change to. */
  readonly nextFromEnvironment?: string | null;
  /** `<data>/master.key`. */
  readonly path: string;
  /** Fingerprint of the key that the database uses; null for a fresh one. */
  readonly expected: string | null;
}

/**
 * Loads the master key; creates one only where the database knows none yet. Rejects any other key than the expected one
 * and never overwrites a file. Completes an interrupted key change.
 */
export const loadMasterKey = Effect.fnUntraced(function* (source: MasterKeySource) {
  const { fromEnvironment, path, expected } = source;
  const where = fromEnvironment === null ? path : "SERVICE_SECRETS_MASTER_KEY";
  if (fromEnvironment === null && expected !== null) yield* Effect.sync(() => adoptFile(path, expected));
  const stored = fromEnvironment ?? (yield* Effect.promise(() => readKeyFile(path)));
  if (stored === null && expected !== null)
    return yield* refuse(
      `There is no master key at ${path}, but the database uses the one with fingerprint ${expected}. Restore the file from your backup, or set SERVICE_SECRETS_MASTER_KEY.`,
    );
  const text = stored ?? (yield* Effect.promise(() => createKeyFile(path)));
  const key = readMasterKey(text);
  if (key === null)
    return yield* refuse(`The master key in ${where} is not 32 bytes, as base64 or as 64 hex digits.`);
  if (expected === null || key.fingerprint === expected) return keyRing(source, key);
  const next = readMasterKey(source.nextFromEnvironment ?? "");
  if (next?.fingerprint === expected) return keyRing(source, next);
  return yield* refuse(
    `The master key in ${where} has the fingerprint ${key.fingerprint}, but the database uses the one with fingerprint ${expected}. Services that share a database share the key.`,
  );
});

/** Parses the text of a key: 32 bytes as base64 or 64 hex digits; null for any other. */
export const readMasterKey = (text: string): MasterKey | null => {
  const bytes = decode(text.trim());
  return bytes === null ? null : masterKey(bytes);
};

const keyRing = (source: MasterKeySource, current: MasterKey): KeyRing => {
  const { fromEnvironment, path } = source;
  const known = new Map([[current.fingerprint, current]]);
  const learn = (text: string | null): void => {
    const key = text === null ? null : readMasterKey(text);
    if (key !== null) known.set(key.fingerprint, key);
  };
  for (const text of [fromEnvironment, source.nextFromEnvironment ?? null]) learn(text);
  return {
    current,
    find: (fingerprint) => {
      if (!known.has(fingerprint) && fromEnvironment === null)
        for (const file of [path, keyFileOf(path, fingerprint)]) learn(readIfThere(file));
      return known.get(fingerprint) ?? null;
    },
    next: () => {
      if (fromEnvironment !== null) return readMasterKey(source.nextFromEnvironment ?? "");
      const bytes = randomBytes(32);
      const key = masterKey(bytes);
      writeWhole(keyFileOf(path, key.fingerprint), `${bytes.toString("base64")}\n`);
      known.set(key.fingerprint, key);
      return key;
    },
    adopt: (fingerprint) => {
      if (fromEnvironment === null) adoptFile(path, fingerprint);
    },
  };
};

/** The name contains the fingerprint, so that a person who moves the file knows which key it is. */
const keyFileOf = (path: string, fingerprint: string): string => `${path}.${fingerprint}`;

const adoptFile = (path: string, fingerprint: string): void => {
  const keyFile = keyFileOf(path, fingerprint);
  // An incomplete file or one with another key stays in place: the start then reports what is missing.
  if (readMasterKey(readIfThere(keyFile) ?? "")?.fingerprint !== fingerprint) return;
  try {
    renameSync(keyFile, path);
    syncDirectory(dirname(path));
  } catch (error) {
    // Another service was faster.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
};

const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};

/** Returns once file and name are on the disk. */
const writeWhole = (path: string, text: string): void => {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectory(dirname(path));
};

const syncDirectory = (path: string): void => {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
};

const refuse = (message: string) => Effect.fail(new MasterKeyUnusable({ message }));

const decode = (text: string): Buffer | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return null;
  return Buffer.from(text, "base64");
};

const masterKey = (bytes: Buffer): MasterKey => ({
  fingerprint: createHash("sha256").update(bytes).digest("hex").slice(0, 16),
  ...keySource(bytes),
});

export const keySource = (bytes: Buffer): KeySource => ({
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

const createKeyFile = async (path: string): Promise<string> => {
  await createFileOnce(path, `${randomBytes(32).toString("base64")}\n`);
  await chmod(path, 0o600);
  return readFile(path, "utf8");
};
