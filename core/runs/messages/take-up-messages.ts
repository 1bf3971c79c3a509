import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Run } from "../../model/runs/run.ts";

/** Takes up what people said to earlier runs of the agent and issue without effect. */
export const takeUpMessages =
  (transactor: Transactor, clock: Clock) => (run: Pick<Run, "id" | "agentId" | "issueId" | "adapterType">) =>
    transactor.transact((stores) => stores.runMessages.takeUp(run, clock.now()));
