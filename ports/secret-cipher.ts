import * as Data from "effect/Data";
import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { CompanyId } from "../core/shared/ids.ts";
import type { DataKeyStore } from "./stores/data-key-store.ts";

/** Whose ciphertext it is. A ciphertext opens for exactly the owner it was sealed for. */
export interface SealedFor {
  readonly companyId: CompanyId;
  /** The kind of thing that keeps it: `secret`, `routine_trigger`, … */
  readonly kind: string;
  readonly id: string;
  /** Counts the values that this owner has had, from 1. */
  readonly version: number;
}

/** A row was changed, moved to another owner, or its key is not at hand. Says nothing about the value. */
export class CiphertextUnreadable extends Data.TaggedError("CiphertextUnreadable")<{
  readonly reason: "damaged" | "no_data_key" | "master_key_unknown";
}> {}

/**
 * Keeps values in the database: AES-256-GCM under a data key of the company, which is kept wrapped by the master key.
 * The first value of a company makes its data key, in the transaction it is given the store of:
 *
 * ```ts
 * const sealed = yield* cipher.seal(stores.dataKeys, { companyId, kind: "routine_trigger", id, version: 1 }, value);
 * const value = yield* cipher.open(stores.dataKeys, { companyId, kind: "routine_trigger", id, version: 1 }, sealed);
 * ```
 *
 * Keep the sealed bytes in a `bytea` column, and the version beside them. Rotating the master key wraps the data keys
 * anew and leaves the sealed bytes as they are.
 */
export interface SecretCipher {
  /** Dies where the company's data key cannot be unwrapped: then nothing of the company can be kept or read. */
  seal(dataKeys: DataKeyStore, owner: SealedFor, value: Redacted.Redacted<string>): Effect.Effect<Uint8Array>;
  open(
    dataKeys: Pick<DataKeyStore, "find">,
    owner: SealedFor,
    sealed: Uint8Array,
  ): Effect.Effect<Redacted.Redacted<string>, CiphertextUnreadable>;
}
