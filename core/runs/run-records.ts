import type * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunEvent } from "../../ports/stores/run-store.ts";
import { jointUseCase, type UseCaseContext } from "../access/unit-of-work.ts";
import type { RunId } from "../model/shared/ids.ts";

/** A record that a service stores of a run while its program works. */
export type RunRecord =
  | { readonly runId: RunId; readonly event: Omit<RunEvent, "at"> }
  | { readonly runId: RunId; readonly process: ProcessIdentity };

/** Stores the record; returns false where the run has ended, which then stays unchanged. */
export type RecordOfRun = (record: RunRecord) => Effect.Effect<boolean>;

/** Stores records of the runs of a service. */
export const runRecords: (context: UseCaseContext) => RecordOfRun = jointUseCase(
  "runs.record",
  {
    keyOf: () => "",
    // A run may start one program after another; the last one stays.
    conflictKeys: (record: RunRecord) => ("process" in record ? [record.runId] : []),
  },
  function* (unit, records: readonly RunRecord[]) {
    const live = new Set(yield* unit.runs.lockLiveAmong(records.map(({ runId }) => runId)));
    const { at } = unit;
    const ofLive = records.filter(({ runId }) => live.has(runId));
    const events = ofLive.flatMap((record) => ("event" in record ? [{ ...record.event, at }] : []));
    if (events.length > 0) yield* unit.runs.appendEvents(events);
    const processes = ofLive.flatMap((record) => ("process" in record ? [record] : []));
    if (processes.length > 0) yield* unit.runs.recordProcesses(processes, at);
    return records.map(({ runId }) => Result.succeed(live.has(runId)));
  },
);
