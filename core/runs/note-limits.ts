import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import type { Run } from "../model/runs/run.ts";
import { holdOfWindows, type UsageWindow } from "../model/runs/usage-window.ts";

/**
 * Keeps what a running run reports of its account's windows. A rejected one holds new runs of the account in the same
 * transaction. A run that has ended reports nothing.
 */
export const noteLimits =
  (transactor: Transactor, clock: Clock) =>
  (run: Pick<Run, "id" | "agentId" | "adapterType">, windows: readonly UsageWindow[]) =>
    transact(transactor, function* (stores) {
      const live = yield* stores.runs.lockLiveAmong([run.id]);
      if (live.length === 0 || windows.length === 0) return;
      const at = clock.now();
      const of = { agentId: run.agentId, adapterType: run.adapterType, runId: run.id, at };
      yield* stores.runs.saveWindows({ ...of, windows });
      const notBefore = holdOfWindows(windows, at);
      if (notBefore !== null) yield* stores.runs.holdAccount({ ...of, notBefore });
    });
