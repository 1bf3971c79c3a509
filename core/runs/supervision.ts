import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import type { Service } from "../../ports/stores/service-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId, ServiceId } from "../shared/ids.ts";
import type { Run } from "./run.ts";
import { taskKeyOf } from "./task-key.ts";

/** How long a service counts as alive without renewing. Renewed at a third of it. */
export const leaseSec = 15;
/** Between two looks at whether tables and processes agree. */
export const truthSec = leaseSec / 3;
/** Programs of a lost run get this long between the polite and the hard end. */
export const leftoverGraceSec = 2;
/** The lease, the next look, the grace, and time to kill and to write it down. */
export const recoveryBoundSec = leaseSec + truthSec + leftoverGraceSec + 3;

/**
 * Renews this service's lease, and finds the runs that nobody has in supervision any more. After a pause in which it could
 * not renew its own lease in time, others may have had the same trouble: then leases that ended prove nothing yet.
 */
export const keepLease = (transactor: Transactor) => (service: Service) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const byLease = yield* stores.services.keep(service, leaseSec);
      return yield* stores.runs.lost({ host: service.host, byLease });
    }),
  );

/** Who shares this machine, and whose end can therefore be seen at once. */
export const servicesOn = (transactor: Transactor) => (host: string) =>
  transactor.transact((stores) => stores.services.onHost(host));

/** The runs of a service without a lease are in nobody's supervision. */
export const endLease = (transactor: Transactor) => (id: ServiceId) =>
  transactor.transact((stores) => stores.services.remove(id));

/**
 * Stores which process a run is, as soon as that is known. False where the run has ended meanwhile: others took this
 * service for dead, and may have begun the work anew.
 */
export const noteProcess =
  (transactor: Transactor, clock: Clock) => (runId: RunId, identity: ProcessIdentity) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        if (!(yield* stores.runs.isActive(runId))) return false;
        yield* stores.runs.noteProcess(runId, identity, clock.now());
        return true;
      }),
    );

/** Stores what resumes the run's session as soon as its program has said it, so that a lost run can be gone on with. */
export const noteSession =
  (transactor: Transactor, clock: Clock) =>
  (run: SessionOwner, session: { params: Readonly<Record<string, unknown>>; displayId: string | null }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        if (!(yield* stores.runs.isActive(run.id))) return;
        yield* stores.runs.saveSession({
          companyId: run.companyId,
          agentId: run.agentId,
          adapterType: run.adapterType,
          taskKey: taskKeyOf(run),
          params: session.params,
          displayId: session.displayId,
          lastRunId: run.id,
          updatedAt: clock.now(),
        });
      }),
    );

type SessionOwner = Pick<Run, "id" | "companyId" | "agentId" | "adapterType" | "issueId">;

/** Adds to what a run's followers see. One that has ended keeps its end. */
export const noteEvent = (transactor: Transactor, clock: Clock) => (event: Omit<RunEvent, "at">) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      if (yield* stores.runs.isActive(event.runId))
        yield* stores.runs.appendEvent({ ...event, at: clock.now() });
    }),
  );

/** Tells every run of a service to stop, before the service does. */
export const stopRunsOf = (transactor: Transactor, clock: Clock) => (serviceId: ServiceId) =>
  transactor.transact((stores) => stores.runs.requestStop({ serviceId }, "service_shutdown", clock.now()));
