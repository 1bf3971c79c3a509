import * as Effect from "effect/Effect";
import { workLease } from "../../ports/stores/work-lease.ts";

/** Renews the lease of a merge, a removal or the command of a gate until it is another service's; then it ends. */
export const renewLease = (renew: Effect.Effect<boolean>): Effect.Effect<void> =>
  renew.pipe(
    // A database that does not answer does not end the lease.
    Effect.catchCause(() => Effect.succeed(true)),
    Effect.delay(workLease.renewSec * 1_000),
    Effect.repeat({ while: (isOurs) => isOurs }),
    Effect.asVoid,
  );
