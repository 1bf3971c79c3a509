import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { MasterKeyNotReady } from "../../core/secrets/master-key.ts";
import type { MasterKeys } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { rewrapBy } from "./aes-cipher.ts";
import type { KeyRing } from "./master-key.ts";

/**
 * The new key lies on the disk before the database knows of it, the database changes over in one transaction, and only
 * then the file takes the old one's place. Before the commit the old key is the one and is where it was; after it the
 * new one is, and every start and every service that misses it finds it by its fingerprint. One change at a time, and
 * to its end whoever asked for it has gone away: a file that came late would take the place of a later key.
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
