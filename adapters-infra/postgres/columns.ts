import type { Sql } from "postgres";
import { columnsOf } from "./columns-of.ts";
import { doneAsOf } from "./facts.ts";
import { fixedText } from "./fixed-text.ts";

/** An `AgentInCompany`, of `agents a` and `companies c`. */
export const agentInCompany = fixedText(
  (sql) => sql`
  a.id, a.company_id, a.name, a.url_key, a.role, a.title, a.reports_to, a.capabilities, a.standing as lifecycle_state,
  a.held_manually_at, a.held_by_budget_at, a.error_reason, a.adapter_type, a.adapter_config, a.runtime_config,
  a.metadata, a.budget_monthly_cents, a.granted_paths, a.volume, a.volume_since, a.last_heartbeat_at, a.next_timer_at, a.created_at,
  a.updated_at,
  c.status as company_status, c.held_by_budget_at as company_held_by_budget_at, c.runner as company_runner,
  c.agent_caused_run_limit as company_agent_caused_run_limit
`,
);

/** A `Company`. */
export const companyColumns = columnsOf(`
  id, name, description, status, issue_prefix, budget_monthly_cents, held_by_budget_at, runner,
  agent_caused_run_limit, created_at, updated_at
`);

/** A `CostEvent` without `cost_cents`: decisions take it exact, answers rounded down. */
export const costEventColumns = columnsOf(`
  id, company_id, agent_id, issue_id, project_id, run_id, source, event_id, provider, model, billing_type,
  cost_status, input_tokens, cached_input_tokens, output_tokens, occurred_at
`);

/** An `Approval`. */
export const approvalColumns = columnsOf(`
  id, company_id, type, status, payload jsonb, agent_id, requested_by_agent_id, requested_by_user_id, decision_note,
  chosen_owner, off_list_reason, decided_by_agent_id, decided_by_user_id, decided_at, created_at, updated_at,
  payload_revision, proposed_variables, granted_paths jsonb
`);

/** A `Grant`. */
export const grantColumns = columnsOf(`
  id, company_id, agent_id, permission, classes, granted_by_user_id, created_at, revoked_by_user_id, revoked_at
`);

/** An `Issue`. */
export const issueColumns = columnsOf(`
  id, company_id, identifier, title, description, status, priority, assignee_agent_id, assignee_user_id,
  checkout_run_id, held_since, parent_id, project_id, goal_id, routine_id, billing_code, created_by_agent_id,
  created_by_user_id, started_at, completed_at, verified_at, cancelled_at, last_activity_at, created_at, updated_at
`);

/** The columns of `issues` under the names of a `ListedIssue`. */
export const listedIssueColumns = (sql: Sql, slim: boolean) => sql`
  issues.id, issues.company_id as "companyId", issues.identifier, issues.title,
  ${slim ? sql`` : sql`issues.description,`} issues.status, issues.priority,
  issues.assignee_agent_id as "assigneeAgentId", issues.assignee_user_id as "assigneeUserId",
  issues.checkout_run_id as "checkoutRunId", issues.held_since as "heldSince", issues.parent_id as "parentId",
  issues.project_id as "projectId", issues.goal_id as "goalId", issues.routine_id as "routineId",
  issues.billing_code as "billingCode", issues.created_by_agent_id as "createdByAgentId",
  issues.created_by_user_id as "createdByUserId", issues.started_at as "startedAt",
  issues.completed_at as "completedAt", issues.verified_at as "verifiedAt", issues.cancelled_at as "cancelledAt",
  issues.last_activity_at as "lastActivityAt", issues.created_at as "createdAt", issues.updated_at as "updatedAt",
  issues.started_at, issues.completed_at, ${doneAsOf(sql, sql`issues`)} as "doneAs"
`;

/** A `Repository`. */
export const repositoryColumns = columnsOf(`
  id, company_id, project_id, url, default_branch, credential_secret_id, directory, mode, allow_private_host,
  host_kind, host_api_url, closes_issues, webhook_secret_id, sparse_folders, setup_command, run_command,
  archive_command, command_timeout_sec, author_name, author_email, branch_pattern, checked_at, problem, removed_at,
  created_at, updated_at
`);

/** An `IssueBranch`. */
export const issueBranchColumns = columnsOf(`
  issue_id, repository_id, company_id, branch, base_branch, base_commit, head, kept_run_id, published_at, merged_at,
  merge_commit, given_up_at, created_at, updated_at
`);

/** A `PullRequest`. */
export const pullRequestColumns = columnsOf(`
  id, company_id, issue_id, repository_id, branch, into_branch, title, body, state, number, url, head, base_commit,
  checks, checks_commit, failed_checks, wakes, handed_over_at, problem, by_kind, by_id, by_run_id, changed_at,
  polled_at, poll_at, created_at
`);

/** A `Tree`. */
export const workspaceColumns = columnsOf(`
  id, company_id, issue_id, volume, agent_id, run_id, state_run_id, unkept_run_id, problem, clones jsonb, made_at,
  used_at, created_at, tried_at, removal_id, first_port, bytes
`);

/** A `WorkspaceCommand`. */
export const workspaceCommandColumns = columnsOf(`
  id, company_id, tree_id, repository_id, run_id, kind, command, exit_code, problem, output, duration_ms, ended_at
`);

/** A `RunWork`. */
export const runWorkColumns = columnsOf(`
  run_id, repository_id, company_id, issue_id, tree_id, head, files, base, branch, state, left_out, blob_key,
  pack_bytes, kept_at
`);

/** A `McpServer`. */
export const mcpServerColumns = columnsOf(`
  id, company_id, name, url, command, args, headers jsonb, env jsonb, allow_private_host, all_agents, agent_ids,
  roles, tools jsonb, tested_at, created_at, updated_at
`);

/** A `Project`. */
export const projectColumns = columnsOf(`
  id, company_id, name, description, status, lead_agent_id, target_date, budget_monthly_cents, held_by_budget_at,
  archived_at, created_at, updated_at
`);

/** A `Run`. */
export const runColumns = columnsOf(`
  id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, context,
  retry_of_run_id, service_id, runner, process, stop_requested_at, stop_reason, takes_messages, takes_interrupt,
  started_at, created_at
`);

/** A `RunView`, of `runs r`, `agents a` and `issues i`. */
export const runView = fixedText(
  (sql) => sql`
  r.id, r.company_id, r.agent_id, a.name as agent_name, r.issue_id, i.identifier as issue_identifier,
  i.title as issue_title,
  r.adapter_type, r.status, r.wake_reason, r.invocation_source, r.retry_of_run_id, r.stop_requested_at,
  r.stop_reason, r.held_since, r.started_at, r.finished_at, r.error_code, r.error, r.exit_code, r.signal, r.summary, r.usage,
  r.cost_cents, r.session_id_before, r.session_id_after, r.log_bytes, r.created_at, r.updated_at,
  case when r.status = 'running' then (
    select  min(interactions.created_at)
    from    interactions
    where   interactions.source_run_id = r.id
    and     interactions.status = 'pending'
    and     interactions.kind   = 'request_permission'
  ) end as waits_for_person_since
`,
);

/** A `Vault`. */
export const vaultColumns = columnsOf(`
  id, company_id, provider, display_name, status, is_default, config jsonb, health_status, health_checked_at,
  health_message, health_details jsonb, disabled_at, created_by_agent_id, created_by_user_id, created_at, updated_at
`);

/** A `Secret`. */
export const secretColumns = columnsOf(`
  id, company_id, key, name, description, provider, vault_id, managed_mode, status, external_ref, canonical_ref,
  provider_metadata jsonb, latest_version, last_resolved_at, last_rotated_at, created_by_agent_id,
  created_by_user_id, created_at, updated_at
`);

/** An `Interaction`. */
export const interactionColumns = columnsOf(`
  id, company_id, issue_id, kind, status, continuation_policy, idempotency_key, title, summary, payload jsonb,
  result jsonb, ends_by_comment, target_document_id, source_run_id, created_by_agent_id, created_by_user_id,
  resolved_by_agent_id, resolved_by_user_id, resolved_at, created_at, updated_at
`);

/** A `Document`. */
export const documentColumns = columnsOf(`
  id, company_id, issue_id, key, title, format, body, latest_revision_id, latest_revision_number,
  created_by_agent_id, created_by_user_id, updated_by_agent_id, updated_by_user_id, created_at, updated_at
`);

/** A `DocumentRevision`. */
export const documentRevisionColumns = columnsOf(`
  id, company_id, document_id, revision_number, title, format, body, change_summary, restored_from_revision_id,
  created_by_agent_id, created_by_user_id, created_at
`);

/** An `Asset`. */
export const assetColumns = columnsOf(`
  id, company_id, purpose, provider, blob_key, content_type, byte_size, sha256, original_filename,
  created_by_agent_id, created_by_user_id, created_at
`);
