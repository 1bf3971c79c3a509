import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { UiParsers } from "../../ports/ui-parsers.ts";
import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
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
import type { ShowRun } from "./show-run.ts";
import { stopRunsOfService } from "./stop-runs-of-service.ts";
import { tickTimers } from "./tick-timers.ts";

/** The use cases of runs. */
export const runs = (
  context: UseCaseContext,
  views: Views,
  runLogs: RunLogs,
  adapters: AdapterRegistry,
  uiParsers: UiParsers,
  show: ShowRun,
  note: RunNotes,
) => ({
  show,
  transcript: readTranscript(views, runLogs, adapters, uiParsers),
  claim: claimRuns(context),
  continue: continueRuns(context),
  noteProcess: noteProcess(note),
  notePlacement: notePlacement(context),
  noteEvent: noteEvent(note),
  askPermission: askPermission(context),
  finishPermission: finishPermission(context),
  finish: finishRun(context),
  cancel: cancelRun(context),
  interrupt: interruptRun(context),
  say: sayToRun(context, views),
  nextMessage: nextMessage(context),
  noteMessage: noteMessage(context),
  noteSteering: noteSteering(context),
  takeUpMessages: takeUpMessages(context),
  retry: retryRun(context, views),
  releaseAfterRestore: releaseAfterRestore(context),
  tickTimers: tickTimers(context),
  correctTimers: correctTimers(context),
  noteLimits: noteLimits(context),
  noteSession: noteSession(context),
  noteToolsListed: noteToolsListed(context),
  noteCost: noteCost(context),
  keepLease: keepLease(context),
  mayEndPrograms: mayEndPrograms(context),
  servicesOn: listServicesOnHost(context),
  endLease: endLease(context),
  deleteOldHistory: deleteOldHistory(context),
  stopRunsOf: stopRunsOfService(context),
});

export type Runs = ReturnType<typeof runs>;
