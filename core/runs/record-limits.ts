import { systemUseCase } from "../access/unit-of-work.ts";
import type { Run } from "../model/runs/run.ts";
import { holdOfWindows, type UsageWindow } from "../model/runs/usage-window.ts";

/**
 * Keeps what a running run reports of its account's windows. A rejected one holds new runs of the account in the same
 * transaction. A run that has ended reports nothing.
 */
export const recordLimits = systemUseCase(
  "runs.recordLimits",
  function* (unit, run: Pick<Run, "id" | "agentId" | "adapterType">, windows: readonly UsageWindow[]) {
    const live = yield* unit.runs.lockLiveAmong([run.id]);
    if (live.length === 0 || windows.length === 0) return;
    const { at } = unit;
    const of = { agentId: run.agentId, adapterType: run.adapterType, runId: run.id, at };
    yield* unit.runs.saveWindows({ ...of, windows });
    const notBefore = holdOfWindows(windows, at);
    if (notBefore !== null) yield* unit.runs.holdAccount({ ...of, notBefore });
  },
);
