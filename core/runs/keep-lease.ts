import * as Effect from "effect/Effect";
import type { Service } from "../../ports/stores/service-store.ts";
import type { Transactor } from "../../ports/transactor.ts";

/**
 * Renews this service's lease and finds the runs without a service that supervises them. A service that could not renew
 * its own lease in time takes over nothing this time: the others may have had the same trouble, so that a lease that has
 * ended proves nothing.
 */
export const keepLease = (transactor: Transactor) => (service: Service, leaseSec: number) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const byLease = yield* stores.services.keep(service, leaseSec);
      return yield* stores.runs.lost({ host: service.host, byLease });
    }),
  );
