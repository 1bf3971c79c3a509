import * as Effect from "effect/Effect";
import type { HeldVolume, Service } from "../../ports/stores/service-store.ts";
import type { Transactor } from "../../ports/transactor.ts";

/**
 * Renews this service's lease and finds unsupervised runs. A service that starts, or could not renew its own lease in time,
 * takes over nothing by leases this time: other services may have had the same trouble, so an expired lease proves nothing.
 */
export const keepLease =
  (transactor: Transactor) =>
  (service: Service, volume: HeldVolume, leaseSec: number, isStart = false) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const isPunctual = yield* stores.services.keep(service, volume, leaseSec);
        return yield* stores.runs.lost({ scopes: service.scopes, byLease: isPunctual && !isStart });
      }),
    );
