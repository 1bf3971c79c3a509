import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { cancelRun } from "./cancel-run.ts";
import { claimRuns } from "./claim-runs.ts";
import { endLease } from "./end-lease.ts";
import { finishRun } from "./finish-run.ts";
import { keepLease } from "./keep-lease.ts";
import { listServicesOnHost } from "./list-services-on-host.ts";
import { noteCost } from "./note-cost.ts";
import { noteEvent } from "./note-event.ts";
import { noteProcess } from "./note-process.ts";
import { noteSession } from "./note-session.ts";
import { stopRunsOfService } from "./stop-runs-of-service.ts";
import { tickTimers } from "./tick-timers.ts";

/** Everything that can be done to a run. */
export const runs = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  claim: claimRuns(transactor, clock, ids),
  noteProcess: noteProcess(transactor, clock),
  noteEvent: noteEvent(transactor, clock),
  finish: finishRun(transactor, clock, ids),
  cancel: cancelRun(transactor, clock),
  tickTimers: tickTimers(transactor, clock, ids),
  noteSession: noteSession(transactor, clock),
  noteCost: noteCost(transactor, clock, ids),
  keepLease: keepLease(transactor),
  servicesOn: listServicesOnHost(transactor),
  endLease: endLease(transactor),
  stopRunsOf: stopRunsOfService(transactor, clock),
});

export type Runs = ReturnType<typeof runs>;
