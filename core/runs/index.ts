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
import { recordCapabilities } from "./messages/record-capabilities.ts";
import { recordMessage } from "./messages/record-message.ts";
import { sayToRun } from "./messages/say-to-run.ts";
import { takeUpMessages } from "./messages/take-up-messages.ts";
import { readTranscript } from "./read-transcript.ts";
import { recordCost } from "./record-cost.ts";
import { recordEvent } from "./record-event.ts";
import { recordLimits } from "./record-limits.ts";
import { recordPlacement } from "./record-placement.ts";
import { recordProcess } from "./record-process.ts";
import { recordSession } from "./record-session.ts";
import { recordToolsListed } from "./record-tools-listed.ts";
import { releaseAfterRestore } from "./release-after-restore.ts";
import { retryRun } from "./retry-run.ts";
import type { RecordOfRun } from "./run-records.ts";
import type { ShowRun } from "./show-run.ts";
import { stopRunsOfService } from "./stop-runs-of-service.ts";
import { tickTimers } from "./tick-timers.ts";

/** The ports of runs, and their use cases that other modules share. */
interface RunPorts extends UseCaseContext {
  readonly views: Views;
  readonly runLogs: RunLogs;
  readonly adapters: AdapterRegistry;
  readonly uiParsers: UiParsers;
  readonly show: ShowRun;
  readonly record: RecordOfRun;
}

/** The use cases of runs. */
export const runs = ({ views, runLogs, adapters, uiParsers, show, record, ...context }: RunPorts) => ({
  show,
  transcript: readTranscript(views, runLogs, adapters, uiParsers),
  claim: claimRuns(context),
  continue: continueRuns(context),
  recordProcess: recordProcess(record),
  recordPlacement: recordPlacement(context),
  recordEvent: recordEvent(record),
  askPermission: askPermission(context),
  finishPermission: finishPermission(context),
  finish: finishRun(context),
  cancel: cancelRun(context),
  interrupt: interruptRun(context),
  say: sayToRun(context, views),
  nextMessage: nextMessage(context),
  recordMessage: recordMessage(context),
  recordCapabilities: recordCapabilities(context),
  takeUpMessages: takeUpMessages(context),
  retry: retryRun(context, views),
  releaseAfterRestore: releaseAfterRestore(context),
  tickTimers: tickTimers(context),
  correctTimers: correctTimers(context),
  recordLimits: recordLimits(context),
  recordSession: recordSession(context),
  recordToolsListed: recordToolsListed(context),
  recordCost: recordCost(context),
  keepLease: keepLease(context),
  mayEndPrograms: mayEndPrograms(context),
  servicesOn: listServicesOnHost(context),
  endLease: endLease(context),
  deleteOldHistory: deleteOldHistory(context),
  stopRunsOf: stopRunsOfService(context),
});

export type Runs = ReturnType<typeof runs>;
