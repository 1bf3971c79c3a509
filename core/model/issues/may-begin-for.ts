import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import { NotAllowed } from "../shared/failure.ts";
import type { AgentId } from "../shared/ids.ts";

/** Refuses an agent that checks out for another agent. `field` names the field of the request. */
export const mayClaimFor = (by: Actor, agentId: AgentId, field: string): Result.Result<void, NotAllowed> =>
  by.kind === "agent" && by.agentId !== agentId
    ? Result.fail(new NotAllowed({ path: [field] }, "Agents can check out issues only for themselves."))
    : Result.void;

/** Refuses an agent that moves a person's issue to in_progress. */
export const mayBeginForPerson = (by: Actor): Result.Result<void, NotAllowed> =>
  by.kind === "agent"
    ? Result.fail(
        new NotAllowed({ path: ["status"] }, "Only people can start issues that are assigned to people."),
      )
    : Result.void;
