import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Runners } from "../../ports/runners.ts";
import type { RunInDetail } from "../../ports/views/run-views.ts";
import type { Views } from "../../ports/views.ts";
import type { AgentCaller, BoardCaller } from "../model/access/caller.ts";
import { judgeQueuedRun } from "../model/agents/judge-queued-run.ts";
import type { Caps } from "../model/runs/gate.ts";
import { runActions } from "../model/runs/run-actions.ts";
import { whatComesNext } from "../model/runs/what-comes-next.ts";
import type { RunId } from "../model/shared/ids.ts";
import { serviceFacts } from "../queue/service-facts.ts";

export type ShowRun = ReturnType<typeof showRun>;

/** A run with what happens next, or what a person can do, and the actions that the reader may take. */
const shownRun = ({ run, agent, issue, situation, at }: RunInDetail, caller: BoardCaller | AgentCaller) => ({
  ...run,
  whatNext: whatComesNext({ ...situation, agent }, at),
  callerMay: runActions(
    { ...run, agent, issue, projectHeldByBudgetAt: situation.projectHeldByBudgetAt, at },
    { caller, companyId: run.companyId, companyStatus: agent.companyStatus },
  ),
});

/**
 * Returns a run with a sentence: what happens next by itself, or what a person can do. A queued one is judged as on the page
 * of its agent; where it waits for the host of its agent, `waitsFor` says so, too.
 */
export const showRun = (
  views: Views,
  adapters: AdapterRegistry,
  runners: Runners,
  caps: Caps,
  clock: Clock,
) => {
  const factsOfService = serviceFacts(adapters, runners, caps);
  return (runId: RunId, caller: BoardCaller | AgentCaller) =>
    Effect.gen(function* () {
      const run = shownRun(yield* views.runs.get(runId), caller);
      const at = clock.now();
      if (run.waitsFor !== null) return { ...run, whatNext: run.waitsFor };
      if (run.status !== "queued") return run;
      const [facts] = yield* views.agents.situations({ agentId: run.agentId, runId }, at);
      const queued = facts?.runs.find(({ id, status }) => id === runId && status === "queued");
      if (facts === undefined || queued === undefined) return run;
      const service = factsOfService(run, at);
      const whatNext = judgeQueuedRun(queued, facts, service, at).sentence;
      return { ...run, ...(service.isElsewhere ? { waitsFor: service.unavailable } : {}), whatNext };
    });
};
