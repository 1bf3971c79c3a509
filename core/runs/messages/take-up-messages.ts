import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { Run } from "../../model/runs/run.ts";

/** Takes up what people said to earlier runs of the agent and issue without effect. */
export const takeUpMessages =
  ({ transactor, clock }: UseCaseContext) =>
  (run: Pick<Run, "id" | "agentId" | "issueId" | "adapterType">) =>
    transactor.transact((stores) => stores.runMessages.takeUp(run, clock.now()));
