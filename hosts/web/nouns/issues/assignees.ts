import { takesWork } from "../../../../core/model/agents/takes-work.ts";
import { useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { useCompany } from "../companies/company.tsx";

/** The assignee of an issue, as calls take it; both null: nobody. */
export interface AssigneeFields {
  readonly assigneeAgentId: string | null;
  readonly assigneeUserId: string | null;
}

export const unassigned: AssigneeFields = { assigneeAgentId: null, assigneeUserId: null };

/** The id of an issue's agent or person; null where it has neither. */
export const assigneeOf = ({ assigneeAgentId, assigneeUserId }: AssigneeFields): string | null =>
  assigneeAgentId ?? assigneeUserId;

export interface Assignable {
  readonly id: string;
  readonly kind: "agent" | "person";
  readonly name: string;
  readonly fields: AssigneeFields;
}

/** Those to whom issues of the company shown can be assigned. */
export const useAssignables = (): readonly Assignable[] => useAssignablesOf(useCompany().id);

/** Those to whom issues of a company can be assigned: the reader, other people, then agents. */
export const useAssignablesOf = (companyId: string, enabled = true): readonly Assignable[] => {
  const self = useSession();
  const { data: agents = [] } = useRead("agents.list", { companyId }, { enabled });
  const { data: people = [] } = useRead("members.people", { companyId }, { enabled });
  const isSelf = ({ userId }: { readonly userId: string }) => userId === self.userId;
  return [
    ...[...people.filter(isSelf), ...people.filter((each) => !isSelf(each))].map(
      ({ userId, name }): Assignable => ({
        id: userId,
        kind: "person",
        name,
        fields: { assigneeAgentId: null, assigneeUserId: userId },
      }),
    ),
    ...agents
      .filter(({ status }) => takesWork(status))
      .map(
        ({ id, name }): Assignable => ({
          id,
          kind: "agent",
          name,
          fields: { assigneeAgentId: id, assigneeUserId: null },
        }),
      ),
  ];
};
