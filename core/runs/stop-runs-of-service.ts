import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId, ServiceId } from "../model/shared/ids.ts";
import { stopRuns } from "../queue/stop-runs.ts";

/** Requests every run of a service to stop before the service itself stops, but those whose programs outlive it. */
export const stopRunsOfService =
  (transactor: Transactor, clock: Clock) =>
  (serviceId: ServiceId, outlive: readonly RunId[] = []) =>
    transactor.transact((stores) =>
      stopRuns(stores, { serviceId, outlive }, "service_shutdown", clock.now()),
    );
