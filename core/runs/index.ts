import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { UiParsers } from "../../ports/ui-parsers.ts";
import type { Views } from "../../ports/views.ts";
import { askPermission } from "./ask-permission.ts";
import { cancelRun } from "./cancel-run.ts";
import { claimRuns } from "./claim-runs.ts";
import { continueRuns } from "./continue-runs.ts";
import { correctTimers } from "./correct-timers.ts";
import { deleteOldHistory } from "./delete-old-history.ts";
import { endLease } from "./end-lease.ts";
import { finishPermission } from "./finish-permission.ts";
import { finishRun } from "./finish-run.ts";
import { interruptRun } from "./interrupt-run.ts";
import { keepLease } from "./keep-lease.ts";
import { listServicesOnHost } from "./list-services-on-host.ts";
import { mayEndPrograms } from "./may-end-programs.ts";
import { nextMessage } from "./messages/next-message.ts";
import { noteMessage } from "./messages/note-message.ts";
import { noteSteering } from "./messages/note-steering.ts";
import { sayToRun } from "./messages/say-to-run.ts";
import { takeUpMessages } from "./messages/take-up-messages.ts";
import { noteCost } from "./note-cost.ts";
import { noteEvent } from "./note-event.ts";
import { noteLimits } from "./note-limits.ts";
import { notePlacement } from "./note-placement.ts";
import { noteProcess } from "./note-process.ts";
import { noteSession } from "./note-session.ts";
import { noteToolsListed } from "./note-tools-listed.ts";
import { readTranscript } from "./read-transcript.ts";
import { releaseAfterRestore } from "./release-after-restore.ts";
import { retryRun } from "./retry-run.ts";
import type { RunNotes } from "./run-notes.ts";
import { showRun } from "./show-run.ts";
import { stopRunsOfService } from "./stop-runs-of-service.ts";
import { tickTimers } from "./tick-timers.ts";

/** The use cases of runs. */
export const runs = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  views: Views,
  runLogs: RunLogs,
  adapters: AdapterRegistry,
  uiParsers: UiParsers,
  runners: Runners,
  note: RunNotes,
) => ({
  show: showRun(views, adapters, runners, clock),
  transcript: readTranscript(views, runLogs, adapters, uiParsers),
  claim: claimRuns(transactor, clock, ids),
  continue: continueRuns(transactor, clock),
  noteProcess: noteProcess(note),
  notePlacement: notePlacement(transactor, clock),
  noteEvent: noteEvent(note),
  askPermission: askPermission(transactor, clock, ids),
  finishPermission: finishPermission(transactor, clock),
  finish: finishRun(transactor, clock, ids),
  cancel: cancelRun(transactor, clock),
  interrupt: interruptRun(transactor, clock),
  say: sayToRun(transactor, clock, ids, views),
  nextMessage: nextMessage(transactor, clock),
  noteMessage: noteMessage(transactor, clock),
  noteSteering: noteSteering(transactor, clock),
  takeUpMessages: takeUpMessages(transactor, clock),
  retry: retryRun(transactor, clock, ids, views),
  releaseAfterRestore: releaseAfterRestore(transactor, clock),
  tickTimers: tickTimers(transactor, clock, ids),
  correctTimers: correctTimers(transactor, clock),
  noteLimits: noteLimits(transactor, clock),
  noteSession: noteSession(transactor, clock),
  noteToolsListed: noteToolsListed(transactor, clock),
  noteCost: noteCost(transactor, clock, ids),
  keepLease: keepLease(transactor),
  mayEndPrograms: mayEndPrograms(transactor),
  servicesOn: listServicesOnHost(transactor),
  endLease: endLease(transactor),
  deleteOldHistory: deleteOldHistory(transactor, clock),
  stopRunsOf: stopRunsOfService(transactor, clock),
});

export type Runs = ReturnType<typeof runs>;
