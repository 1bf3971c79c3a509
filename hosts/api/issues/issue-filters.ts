import * as Effect from "effect/Effect";
import { z } from "zod";
import type { AgentCaller, BoardCaller } from "../../../core/model/access/caller.ts";
import { doneKinds } from "../../../core/model/issues/done-as.ts";
import {
  type IssueStatus,
  issueStatuses,
  type Priority,
  priorities,
} from "../../../core/model/issues/issue-status.ts";
import { ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { AgentId, UserId } from "../../../core/model/shared/ids.ts";
import type { IssueFilter } from "../../../ports/views/issue-views.ts";
import {
  AgentReference,
  GoalReference,
  IssueReference,
  LabelReference,
  listOf,
  Moment,
  ProjectReference,
  ShortText,
  UserReference,
} from "../endpoint/values.ts";

/** The query of lists and counts of issues. */
export const issueFilters = {
  status: listOf(issueStatuses).optional().describe("Comma-separated statuses."),
  assigneeAgentId: z
    .union([z.literal("null"), AgentReference], "must be a UUID or null")
    .optional()
    .describe("An agent's id, or `null` for unassigned issues."),
  assigneeUserId: z
    .union([z.literal("me"), UserReference], "must be a UUID or me")
    .optional()
    .describe("A person's id, or `me` for the person who asks."),
  createdByAgentId: AgentReference.optional().describe("Created by that agent."),
  createdByUserId: z
    .union([z.literal("me"), UserReference], "must be a UUID or me")
    .optional()
    .describe("Created by that person, or by `me`, the person who asks."),
  projectId: ProjectReference.optional(),
  goalId: GoalReference.optional(),
  parentId: IssueReference.optional().describe("Its children."),
  labelIds: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(LabelReference).min(1).max(20))
    .meta({ items: { type: "string", format: "uuid" } })
    .optional()
    .describe("Comma-separated ids of labels; issues must have all of them."),
  priority: listOf(priorities).optional().describe("Comma-separated priorities."),
  doneAs: z
    .enum(doneKinds)
    .optional()
    .describe(
      "verified: done with all gates met; reported: done by somebody's word, although there are gates.",
    ),
  updatedSince: Moment.optional().describe(
    "Issues whose lastActivityAt is then or later: changed, or commented on.",
  ),
  q: ShortText.optional().describe("Words in title, description, comments or documents; or an identifier."),
};

type Asked = Omit<
  IssueFilter,
  "statuses" | "priorities" | "assigneeAgentId" | "assigneeUserId" | "createdByUserId"
> & {
  readonly status?: readonly IssueStatus[] | undefined;
  readonly priority?: readonly Priority[] | undefined;
  readonly assigneeAgentId?: string | undefined;
  readonly assigneeUserId?: string | undefined;
  readonly createdByUserId?: string | undefined;
};

const meIsForPeople = "must be a UUID: me is for people";
const fieldsOfPeople = ["assigneeUserId", "createdByUserId"] as const;

/** The filter that a query asks for, where `me` is the caller. Refuses an agent that asks for its own as a person's. */
export const filterOf = (
  { status, priority, assigneeAgentId, assigneeUserId, createdByUserId, ...filter }: Asked,
  caller: BoardCaller | AgentCaller,
): Effect.Effect<IssueFilter, ValidationFailed> => {
  const asked = { assigneeUserId, createdByUserId };
  const field = fieldsOfPeople.find((each) => caller.kind === "agent" && asked[each] === "me");
  if (field !== undefined)
    return Effect.fail(
      new ValidationFailed(
        [{ path: [field], code: "custom", message: meIsForPeople }],
        `${field}: ${meIsForPeople}`,
      ),
    );
  const personOf = (named: string | undefined) =>
    (named === "me" && caller.kind === "board" ? caller.userId : named) as UserId | undefined;
  return Effect.succeed({
    ...filter,
    statuses: status,
    priorities: priority,
    assigneeAgentId: assigneeAgentId === "null" ? null : (assigneeAgentId as AgentId | undefined),
    assigneeUserId: personOf(assigneeUserId),
    createdByUserId: personOf(createdByUserId),
  });
};
