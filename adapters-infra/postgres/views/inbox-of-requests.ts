import type { Sql } from "postgres";
import { approvalTypes } from "../../../core/model/approvals/approval.ts";
import { permissionFor } from "../../../core/model/approvals/authority.ts";
import { constantOf } from "../facts.ts";
import { entryOf } from "./inbox-columns.ts";

/** The right that each type of approval requires, by the policies of the core. */
const approvalRights = (sql: Sql) => sql`
  (values ${sql.unsafe(approvalTypes.map((type) => `(${constantOf(type)}, ${constantOf(permissionFor(type))})`).join(", "))})
    as policy (type, permission)
`;

/** Approvals that the person may decide. Reads `r`. */
export const pendingApprovals = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'approval'`,
    subject: "approval",
    id: sql`approval.id`,
    title: sql`approval.title`,
    detail: sql`jsonb_build_object('approvalType', approval.type, 'payloadRevision', approval.payload_revision)`,
    since: sql`approval.updated_at`,
    version: sql`approval.payload_revision`,
    agent: true,
  })}
  from      r
  join      ${approvalRights(sql)} on policy.permission = r.name
  join      approvals approval on approval.company_id = r.company_id and approval.status = 'pending' and approval.type = policy.type
  left join agents agent on agent.id = approval.requested_by_agent_id
`;

/** Interactions that wait for an answer; one whose agent is terminated, and whose issue nobody has, needs an assignee first. Reads `r`. */
export const pendingInteractions = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`case
      when agent.lifecycle_state = 'terminated' and issue.assignee_user_id is null and worker.lifecycle_state is distinct from 'active'
        then 'needs_assignee'
      else case interaction.kind when 'suggest_tasks' then 'suggested_tasks' when 'ask_user_questions' then 'questions' when 'request_permission' then 'permission' else 'confirmation' end
    end`,
    subject: "interaction",
    id: sql`interaction.id`,
    title: sql`coalesce(interaction.title, interaction.prompt, issue.title)`,
    detail: sql`case interaction.kind
      when 'request_permission' then jsonb_build_object('permission', jsonb_build_object(
        'tool', interaction.outline -> 'tool',
        'command', interaction.outline -> 'command',
        'path', interaction.outline -> 'path',
        'diff', interaction.outline -> 'diff'
      ))
      else '{}'::jsonb
    end`,
    since: sql`interaction.created_at`,
    version: sql`''`,
    issue: true,
    agent: true,
  })}
  from      r
  join      interactions interaction on interaction.company_id = r.company_id and interaction.status = 'pending'
  join      issues issue on issue.id = interaction.issue_id
  left join agents agent on agent.id = interaction.created_by_agent_id
  left join agents worker on worker.id = issue.assignee_agent_id
  where     r.name = 'operator'
`;
