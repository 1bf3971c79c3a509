import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { RunLogs } from "../../ports/run-log.ts";
import type { UiParsers } from "../../ports/ui-parsers.ts";
import type { Views } from "../../ports/views.ts";
import { isLive } from "../model/runs/run-status.ts";
import type { RunId } from "../model/shared/ids.ts";
import { transcriptOf } from "./transcript.ts";

export interface ReadTranscript {
  readonly runId: RunId;
  readonly offset: number;
  readonly before: number | null;
  readonly limitBytes: number;
}

/** Returns a part of a run's transcript, made by its adapter's UI parser. */
export const readTranscript =
  (views: Views, runLogs: RunLogs, adapters: AdapterRegistry, uiParsers: UiParsers) =>
  ({ runId, ...part }: ReadTranscript) =>
    views.runs.get(runId).pipe(
      Effect.flatMap(({ run: { adapterType, status } }) => {
        const adapter = adapters.loaded().get(adapterType);
        return transcriptOf(runLogs, uiParsers, {
          ...part,
          runId,
          uiParser: adapter?.uiParser
            ? { script: adapter.uiParser, isBuiltIn: adapter.source === "builtin" }
            : null,
          uiParserProblem: adapter
            ? adapter.uiParserProblem
            : `Adapter ${adapterType} isn't loaded, so its UI parser can't be used.`,
          isLive: isLive(status),
        });
      }),
      Effect.tap(() => views.runs.requireDetails(runId)),
    );
