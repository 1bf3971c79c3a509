import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { AgentId, UserId } from "../shared/ids.ts";

/** The assignee of an issue: an agent, a person or nobody. At most one of the two is set. */
export interface Assignee {
  readonly assigneeAgentId: AgentId | null;
  readonly assigneeUserId: UserId | null;
}

export const nobody: Assignee = { assigneeAgentId: null, assigneeUserId: null };

export class TwoAssignees extends refusal(
  "two_assignees",
  "unprocessable",
  "An issue can be assigned to an agent or to a person, not to both.",
) {}

export const isAssigned = ({ assigneeAgentId, assigneeUserId }: Assignee): boolean =>
  assigneeAgentId !== null || assigneeUserId !== null;

export const isSameAssignee = (one: Assignee, other: Assignee): boolean =>
  one.assigneeAgentId === other.assigneeAgentId && one.assigneeUserId === other.assigneeUserId;

/** The assignee that a request names, or undefined. A person replaces an agent and the other way round. */
export const namedAssignee = (
  before: Assignee,
  named: {
    readonly assigneeAgentId?: AgentId | null | undefined;
    readonly assigneeUserId?: UserId | null | undefined;
  },
): Result.Result<Assignee | undefined, TwoAssignees> => {
  const { assigneeAgentId: agentId, assigneeUserId: userId } = named;
  if (agentId && userId) return Result.fail(new TwoAssignees({ path: ["assigneeUserId"] }));
  if (agentId === undefined && userId === undefined) return Result.succeed(undefined);
  return Result.succeed({
    assigneeAgentId: userId ? null : agentId === undefined ? before.assigneeAgentId : agentId,
    assigneeUserId: agentId ? null : userId === undefined ? before.assigneeUserId : userId,
  });
};
