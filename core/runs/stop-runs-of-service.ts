import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import type { RunId, ServiceId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

/** Requests every run of a service to stop before the service itself stops, but those whose programs outlive it. */
export const stopRunsOfService =
  (context: UseCaseContext) =>
  (serviceId: ServiceId, outlive: readonly RunId[] = []) =>
    transactAsSystem(context, function* (unit) {
      yield* stopRuns(unit, { serviceId, outlive }, "service_shutdown");
    });
