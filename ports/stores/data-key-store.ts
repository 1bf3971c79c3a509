import type * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/model/shared/ids.ts";

/** A stored data key, wrapped by the master key of that fingerprint. */
export interface WrappedKey {
  readonly wrapped: Uint8Array;
  readonly wrappedBy: string;
}

/** Data keys of companies; `null` stands for the service's own. */
export interface DataKeyStore {
  find(companyId: CompanyId | null): Effect.Effect<WrappedKey | null>;
  /** Returns the fingerprint of the master key that wraps new data keys, and locks it until the transaction ends. */
  holdMasterKey(): Effect.Effect<string>;
  /** Stores it unless another transaction was faster; returns the stored one. */
  insert(companyId: CompanyId | null, key: WrappedKey): Effect.Effect<WrappedKey>;
  /** Locks all of them and the master key, for a key change; waits for data keys in creation. */
  lockAll(): Effect.Effect<{
    readonly masterKey: string;
    readonly keys: readonly (WrappedKey & { readonly companyId: CompanyId | null })[];
  }>;
  rewrap(companyId: CompanyId | null, key: WrappedKey): Effect.Effect<void>;
  setMasterKey(fingerprint: string): Effect.Effect<void>;
}
