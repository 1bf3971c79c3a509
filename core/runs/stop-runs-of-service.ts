import { systemUseCase } from "../access/unit-of-work.ts";
import type { RunId, ServiceId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

/** Requests every run of a service to stop before the service itself stops, but those whose programs outlive it. */
export const stopRunsOfService = systemUseCase(
  "runs.stopRunsOf",
  function* (unit, serviceId: ServiceId, outlive: readonly RunId[] = []) {
    yield* stopRuns(unit, { serviceId, outlive }, "service_shutdown");
  },
);
