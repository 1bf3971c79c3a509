import type * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/shared/ids.ts";

/** A data key as it is kept: wrapped by the master key of that fingerprint. */
export interface WrappedKey {
  readonly wrapped: Uint8Array;
  readonly wrappedBy: string;
}

/** Data keys of companies; of `null`, the service's own. */
export interface DataKeyStore {
  find(companyId: CompanyId | null): Effect.Effect<WrappedKey | null>;
  /** Fingerprint of the master key that new data keys are wrapped by. It stays the one until the transaction ends. */
  holdMasterKey(): Effect.Effect<string>;
  /** Keeps it unless another transaction was faster; answers with the one that is kept. */
  insert(companyId: CompanyId | null, key: WrappedKey): Effect.Effect<WrappedKey>;
  /** All of them, and the master key, to change the master key; waits for a data key that is being made. */
  lockAll(): Effect.Effect<{
    readonly masterKey: string;
    readonly keys: readonly (WrappedKey & { readonly companyId: CompanyId | null })[];
  }>;
  rewrap(companyId: CompanyId | null, key: WrappedKey): Effect.Effect<void>;
  setMasterKey(fingerprint: string): Effect.Effect<void>;
}
