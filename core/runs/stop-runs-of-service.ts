import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { ServiceId } from "../shared/ids.ts";
import { stopRuns } from "./stop-runs.ts";

/** Requests every run of a service to stop before the service itself stops. */
export const stopRunsOfService = (transactor: Transactor, clock: Clock) => (serviceId: ServiceId) =>
  transactor.transact((stores) => stopRuns(stores, { serviceId }, "service_shutdown", clock.now()));
