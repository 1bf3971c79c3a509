import type { Service, ServiceVolume } from "../../ports/stores/service-store.ts";
import { systemUseCase } from "../access/unit-of-work.ts";

/**
 * Renews this service's lease and finds unsupervised runs. A lease counts as ended where it had ended by this service's
 * renewal before and was not renewed since: after a time in which nobody could renew, as without the database, each service
 * has that interval to do so. A service that starts takes over nothing by leases: it cannot know of such a time.
 */
export const keepLease = systemUseCase(
  "runs.keepLease",
  function* (unit, service: Service, volume: ServiceVolume, leaseSec: number, isStart = false) {
    const renewedBefore = yield* unit.services.keep(service, volume, leaseSec);
    return yield* unit.runs.lost({
      scopes: service.scopes,
      leaseEndedBy: isStart ? null : renewedBefore,
    });
  },
);
