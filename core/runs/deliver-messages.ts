import * as Effect from "effect/Effect";
import type { Word } from "../../ports/agent-adapter.ts";
import type { RunSupervision } from "../../ports/agent-runner.ts";
import type { RunInbox } from "../../ports/run-inbox.ts";
import { textOfMessage } from "../model/runs/messages/run-message.ts";
import type { Run } from "../model/runs/run.ts";
import type { RunMessageId } from "../model/shared/ids.ts";
import type { Runs } from "./index.ts";
import type { MaskedLog } from "./masking/masked-log.ts";
import { retryAfterDefect } from "./retry-after-defect.ts";

/** Hands the adapter what people say to the run, one after the other, and an interrupt once. */
export const deliverMessages = (
  runs: Pick<Runs, "nextMessage" | "recordMessage" | "recordCapabilities">,
  inbox: RunInbox,
  run: Pick<Run, "id">,
  log: MaskedLog,
  stop: AbortSignal,
): Pick<RunSupervision, "onWord" | "onTaken"> => {
  const known: RunMessageId[] = [];
  let isRecorded = false;
  let isInterrupted = false;
  return {
    onWord: Effect.fnUntraced(function* ({ interrupt }, over) {
      const ends = AbortSignal.any([stop, over]);
      if (!isRecorded) yield* retryAfterDefect(runs.recordCapabilities(run.id, interrupt));
      isRecorded = true;
      while (!ends.aborted && !isInterrupted) {
        const waiting = yield* inbox.wait(run.id, ends);
        if (waiting === "interrupt") {
          isInterrupted = true;
          return { kind: "interrupt" } satisfies Word;
        }
        if (waiting === null) break;
        const message = yield* retryAfterDefect(runs.nextMessage(run.id, known));
        if (message === null) continue;
        known.push(message.id);
        const text = textOfMessage(message);
        yield* log.write("system", `${text}\n`);
        return { kind: "message", id: message.id, text } satisfies Word;
      }
      return null;
    }),
    onTaken: (id, how) =>
      known.some((one) => one === id)
        ? retryAfterDefect(runs.recordMessage({ runId: run.id, messageId: id as RunMessageId, how }))
        : Effect.void,
  };
};
