import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { MasterKeyNotReady } from "../../core/model/secrets/master-key.ts";
import type { MasterKeys } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { rewrapBy } from "./aes-cipher.ts";
import type { KeyRing } from "./master-key.ts";

/**
 * The new key is on the disk before the database knows it; the database changes in one transaction; only then the new
 * file replaces the old one. Before the commit the old key is valid and in place. After it the new key is valid, and
 * every service that misses it finds it by its fingerprint. Changes run one at a time and to their end, even when the
 * caller has gone: a late file would replace a later key.
 */
export const rotatingMasterKey = (ring: KeyRing, transactor: Transactor): MasterKeys => {
  const turns = Semaphore.makeUnsafe(1);
  const rotate = Effect.gen(function* () {
    const next = yield* Effect.sync(ring.next);
    if (next === null) return yield* Effect.fail(new MasterKeyNotReady());
    const done = yield* transactor.transact(({ dataKeys }) =>
      Effect.gen(function* () {
        const { masterKey, keys } = yield* dataKeys.lockAll();
        if (masterKey === next.fingerprint)
          return yield* Effect.fail(
            new MasterKeyNotReady(
              { fingerprint: masterKey },
              "SERVICE_SECRETS_MASTER_KEY_NEXT is the master key already; set another one.",
            ),
          );
        for (const { companyId, ...kept } of keys)
          yield* dataKeys.rewrap(companyId, yield* rewrapBy(ring, next, companyId, kept).pipe(Effect.orDie));
        yield* dataKeys.setMasterKey(next.fingerprint);
        return { from: masterKey, to: next.fingerprint, dataKeys: keys.length };
      }),
    );
    yield* Effect.sync(() => ring.adopt(next.fingerprint));
    return done;
  });
  return {
    fingerprint: () => transactor.transact(({ dataKeys }) => dataKeys.holdMasterKey()),
    rotate: () => rotate.pipe(turns.withPermit, Effect.uninterruptible),
  };
};
