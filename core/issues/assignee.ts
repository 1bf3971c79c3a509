import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import type { Agent } from "../agents/agent.ts";
import { NotAllowed, ReferenceNotFound, refusal } from "../shared/failure.ts";
import type { AgentId } from "../shared/ids.ts";

export class AgentNotAssignable extends refusal(
  "agent_not_assignable",
  "conflict",
  "The agent is not approved yet and cannot be given work.",
) {}

/** The assignee that a request names, where it can be given work. */
export const assignable = <A extends Pick<Agent, "standing">>(
  agent: A | null,
  field: string,
): Result.Result<A, ReferenceNotFound | AgentNotAssignable> => {
  if (agent === null) return Result.fail(ReferenceNotFound.at(field));
  return agent.standing === "active" ? Result.succeed(agent) : Result.fail(new AgentNotAssignable());
};

/** Refuses an agent that would check out for another agent. `field` names the field of the request. */
export const mayClaimFor = (by: Actor, agentId: AgentId, field: string): Result.Result<void, NotAllowed> =>
  by.kind === "agent" && by.agentId !== agentId
    ? Result.fail(new NotAllowed({ path: [field] }, "An agent checks out only for itself."))
    : Result.void;
