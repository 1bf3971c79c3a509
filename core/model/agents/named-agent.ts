import * as Result from "effect/Result";
import { ReferenceNotFound, refusal } from "../shared/failure.ts";
import type { Agent } from "./agent.ts";
import { takesWork } from "./takes-work.ts";

/** Details: `path` of the field that names the agent, and its `standing`. */
export class AgentNotAssignable extends refusal(
  "agent_not_assignable",
  "unprocessable",
  "The agent is terminated or not approved yet, so it can't be assigned work.",
) {}

type Named<A> = Result.Result<A, ReferenceNotFound | AgentNotAssignable>;

/** Returns the agent that a request assigns work to. Refuses one that is terminated or not approved yet. */
export const assignable = <A extends Pick<Agent, "lifecycleState">>(
  agent: A | null,
  field: string,
): Named<A> =>
  Result.flatMap(notTerminated(agent, field), (named) =>
    takesWork(named.lifecycleState)
      ? Result.succeed(named)
      : Result.fail(
          new AgentNotAssignable(
            { path: [field], standing: named.lifecycleState },
            "The agent isn't approved yet, so it can't be assigned work.",
          ),
        ),
  );

/** Returns the agent that a request names as lead, owner, manager or requester. Refuses one that is terminated. */
export const notTerminated = <A extends Pick<Agent, "lifecycleState">>(
  agent: A | null,
  field: string,
): Named<A> => {
  if (agent === null) return Result.fail(ReferenceNotFound.at(field));
  return agent.lifecycleState === "terminated"
    ? Result.fail(
        new AgentNotAssignable(
          { path: [field], standing: agent.lifecycleState },
          "The agent is terminated, so it can't be assigned work.",
        ),
      )
    : Result.succeed(agent);
};
