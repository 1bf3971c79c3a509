import type { WakeReason } from "../../runs/wake-reason.ts";
import { type IssueStatus, isClosed } from "../issue-status.ts";
import { type Mentionable, mentionedAgents } from "./mentions.ts";

interface CommentWritten<Id extends string> {
  /** As it is after the other changes of the request. */
  readonly issue: { readonly assigneeAgentId: Id | null; readonly status: IssueStatus };
  readonly body: string;
  /** null: a person writes it. */
  readonly authorAgentId: Id | null;
  /** It reopens the issue. */
  readonly reopened: boolean;
  readonly mentionable: readonly Mentionable<Id>[];
}

interface Woken<Id> {
  readonly agentId: Id;
  readonly reason: WakeReason;
}

/** Returns the agents that a comment wakes: the assignee of an open issue and the mentioned ones, but not its author. */
export const wokenByComment = <Id extends string>({
  issue: { assigneeAgentId, status },
  body,
  authorAgentId,
  reopened,
  mentionable,
}: CommentWritten<Id>): readonly Woken<Id>[] => {
  const woken: Woken<Id>[] = [];
  if (assigneeAgentId !== null && !isClosed(status))
    woken.push({
      agentId: assigneeAgentId,
      reason: reopened ? "issue_reopened_via_comment" : "issue_commented",
    });
  for (const agentId of mentionedAgents(body, mentionable))
    woken.push({ agentId, reason: "issue_comment_mentioned" });
  return woken.filter(({ agentId }) => agentId !== authorAgentId);
};
