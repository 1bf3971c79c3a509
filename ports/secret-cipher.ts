import * as Data from "effect/Data";
import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { CompanyId } from "../core/model/shared/ids.ts";
import type { DataKeyStore } from "./stores/data-key-store.ts";

/** The owner of a ciphertext, which opens for exactly this owner. */
export interface SealedFor {
  /** null: the service itself. */
  readonly companyId: CompanyId | null;
  /** The kind of the owner: `secret`, `routine_trigger`, … */
  readonly kind: string;
  readonly id: string;
  /** Counts the values of this owner, from 1. */
  readonly version: number;
}

/** A row was changed or moved to another owner, or its key is missing. Reveals nothing about the value. */
export class CiphertextUnreadable extends Data.TaggedError("CiphertextUnreadable")<{
  readonly reason: "damaged" | "no_data_key" | "master_key_unknown";
}> {}

/**
 * Encrypts values for the database: AES-256-GCM with a data key of the company or the service, which the master key wraps.
 * The first value of a company creates its data key, in the transaction of the given store:
 *
 * ```ts
 * const sealed = yield* cipher.seal(stores.dataKeys, { companyId, kind: "routine_trigger", id, version: 1 }, value);
 * const value = yield* cipher.open(stores.dataKeys, { companyId, kind: "routine_trigger", id, version: 1 }, sealed);
 * ```
 *
 * Store the sealed bytes in a `bytea` column, with the version next to them. Rotating the master key rewraps the data
 * keys
 * and does not change the sealed bytes.
 */
export interface SecretCipher {
  /** Dies where the company's data key cannot be unwrapped: then no value of the company can be stored or read. */
  seal(dataKeys: DataKeyStore, owner: SealedFor, value: Redacted.Redacted<string>): Effect.Effect<Uint8Array>;
  open(
    dataKeys: Pick<DataKeyStore, "find">,
    owner: SealedFor,
    sealed: Uint8Array,
  ): Effect.Effect<Redacted.Redacted<string>, CiphertextUnreadable>;
}
