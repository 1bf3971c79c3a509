import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { Service } from "../../ports/stores/service-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId, ServiceId } from "../shared/ids.ts";
import { addSeconds } from "../shared/instant.ts";

/** How long a service counts as alive without renewing. Renewed at a third of it. */
export const leaseSec = 15;

/** Renews this service's lease, and finds the runs whose service let its own end. */
export const keepLease = (transactor: Transactor, clock: Clock) => (service: Omit<Service, "leaseUntil">) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const at = clock.now();
      yield* stores.services.keep({ ...service, leaseUntil: addSeconds(at, leaseSec) });
      return yield* stores.runs.lost(at);
    }),
  );

export const endLease = (transactor: Transactor) => (id: ServiceId) =>
  transactor.transact((stores) => stores.services.remove(id));

/** Stores which process a run is, as soon as that is known. */
export const noteProcess =
  (transactor: Transactor, clock: Clock) => (runId: RunId, identity: ProcessIdentity) =>
    transactor.transact((stores) => stores.runs.noteProcess(runId, identity, clock.now()));

/** Adds to what a run's followers see. */
export const noteEvent = (transactor: Transactor, clock: Clock) => (event: Omit<RunEvent, "at">) =>
  transactor.transact((stores) => stores.runs.appendEvent({ ...event, at: clock.now() }));

/** Tells every run of a service to stop, before the service does. */
export const stopRunsOf = (transactor: Transactor, clock: Clock) => (serviceId: ServiceId) =>
  transactor.transact((stores) => stores.runs.requestStop({ serviceId }, "service_shutdown", clock.now()));
