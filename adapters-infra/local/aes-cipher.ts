import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import { CiphertextUnreadable, type SealedFor, type SecretCipher } from "../../ports/secret-cipher.ts";
import type { DataKeyStore, WrappedKey } from "../../ports/stores/data-key-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { type KeyRing, type KeySource, keySource, type MasterKey } from "./master-key.ts";

/** First byte of a sealed value; it identifies the scheme. */
const scheme = 1;
const ivBytes = 12;
const tagBytes = 16;

export const aesCipher = (ring: KeyRing): SecretCipher => ({
  seal: (dataKeys, owner, value) =>
    Effect.gen(function* () {
      const key = yield* dataKeyOf(ring, dataKeys, owner.companyId).pipe(Effect.orDie);
      return seal(valueKeyOf(owner, key), boundTo(owner), Buffer.from(Redacted.value(value), "utf8"));
    }),
  open: (dataKeys, owner, sealed) =>
    Effect.gen(function* () {
      const wrapped = yield* dataKeys.find(owner.companyId);
      if (wrapped === null) return yield* new CiphertextUnreadable({ reason: "no_data_key" });
      const key = yield* unwrap(ring, owner.companyId, wrapped);
      const opened = open(valueKeyOf(owner, key), boundTo(owner), sealed);
      if (opened === null) return yield* new CiphertextUnreadable({ reason: "damaged" });
      return Redacted.make(opened.toString("utf8"));
    }),
});

/** The key of the service itself is a source of others, so that its values are sealed with one of those. */
const valueKeyOf = ({ companyId }: SealedFor, dataKey: Buffer): Buffer =>
  companyId === null ? keySource(dataKey).derive("sealed values") : dataKey;

/** Returns the data key of a company, or of the service itself (null); creates a missing one. */
const dataKeyOf = Effect.fnUntraced(function* (
  ring: KeyRing,
  dataKeys: Pick<DataKeyStore, "find" | "holdMasterKey" | "insert">,
  companyId: CompanyId | null,
) {
  const found = yield* dataKeys.find(companyId);
  if (found !== null) return yield* unwrap(ring, companyId, found);
  const master = yield* masterKeyOf(ring, yield* dataKeys.holdMasterKey());
  const stored = yield* dataKeys.insert(companyId, wrapBy(master, companyId, randomBytes(32)));
  return yield* unwrap(ring, companyId, stored);
});

/** Source of the service's own keys. It is stored as a data key, so a change of the master key keeps them. */
export const serviceKeys = (
  ring: KeyRing,
  transactor: Transactor,
): Effect.Effect<KeySource, CiphertextUnreadable> =>
  transactor.transact(({ dataKeys }) => dataKeyOf(ring, dataKeys, null)).pipe(Effect.map(keySource));

/** Wraps the same data key with another master key. */
export const rewrapBy = Effect.fnUntraced(function* (
  ring: KeyRing,
  next: MasterKey,
  companyId: CompanyId | null,
  stored: WrappedKey,
) {
  return wrapBy(next, companyId, yield* unwrap(ring, companyId, stored));
});

const wrapBy = (master: MasterKey, companyId: CompanyId | null, key: Buffer): WrappedKey => ({
  wrapped: seal(master.derive("data keys"), wrappedFor(companyId), key),
  wrappedBy: master.fingerprint,
});

const unwrap = Effect.fnUntraced(function* (
  ring: KeyRing,
  companyId: CompanyId | null,
  { wrapped, wrappedBy }: WrappedKey,
) {
  const master = yield* masterKeyOf(ring, wrappedBy);
  const key = open(master.derive("data keys"), wrappedFor(companyId), wrapped);
  return key ?? (yield* new CiphertextUnreadable({ reason: "damaged" }));
});

/** Whether the master key opens the data key of the service. */
export const opensServiceKey = (master: MasterKey, { wrapped, wrappedBy }: WrappedKey): boolean =>
  wrappedBy === master.fingerprint && open(master.derive("data keys"), wrappedFor(null), wrapped) !== null;

const masterKeyOf = (ring: KeyRing, fingerprint: string) =>
  Effect.suspend(() => {
    const key = ring.find(fingerprint);
    return key === null
      ? Effect.fail(new CiphertextUnreadable({ reason: "master_key_unknown" }))
      : Effect.succeed(key);
  });

const boundTo = ({ companyId, kind, id, version }: SealedFor): string =>
  JSON.stringify([companyId, kind, id, version]);

const wrappedFor = (companyId: CompanyId | null): string => JSON.stringify(["data key", companyId]);

const seal = (key: Buffer, boundTo: string, clear: Buffer): Buffer => {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(clear), cipher.final()]);
  return Buffer.concat([Buffer.from([scheme]), iv, cipher.getAuthTag(), sealed]);
};

/** Returns null where the value was changed or sealed with another key or binding. */
const open = (key: Buffer, boundTo: string, sealed: Uint8Array): Buffer | null => {
  if (sealed[0] !== scheme || sealed.length < 1 + ivBytes + tagBytes) return null;
  const body = Buffer.from(sealed.buffer, sealed.byteOffset + 1, sealed.byteLength - 1);
  const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(body.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(body.subarray(ivBytes + tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
};
