import type { Sql } from "postgres";
import { columnsOf } from "./columns-of.ts";
import { openPermissionRequests } from "./facts.ts";
import { fixedText } from "./fixed-text.ts";

/** An `Agent`. */
export const agentColumns = columnsOf(`
  id, company_id, name, url_key, role, title, reports_to, capabilities, lifecycle_state, held_manually_at,
  held_by_budget_at, error_reason, adapter_type, adapter_config jsonb, runtime_config jsonb, metadata jsonb,
  budget_monthly_cents, granted_paths jsonb, last_heartbeat_at, next_timer_at, created_at, updated_at
`);

const factsOfCompany = (sql: Sql) => sql`
  a.volume, a.volume_since, c.status as company_status,
  c.held_by_budget_at as company_held_by_budget_at, c.runner as company_runner,
  c.agent_caused_run_limit as company_agent_caused_run_limit
`;

/** An `AgentInCompany`, of `agents a` and `companies c`. */
export const agentInCompany = fixedText((sql) => sql`${agentColumns(sql, "a")}, ${factsOfCompany(sql)}`);

/** The same, of which two columns are the text of their JSON. */
export const listedAgent = fixedText(
  (sql) => sql`
  ${agentColumns.without("adapter_config, metadata")(sql, "a")}, a.adapter_config::json as adapter_config_text,
  a.metadata::json as metadata_text, ${factsOfCompany(sql)}
`,
);

/** An `AgentKeyView`. */
export const agentKeyColumns = columnsOf("id, agent_id, name, created_at, last_used_at, revoked_at");

/** An `AgentConfigRevision`. */
export const configRevisionColumns = columnsOf(`
  id, company_id, agent_id, source, rolled_back_from_revision_id, changed_keys, before_config jsonb,
  after_config jsonb, created_by_agent_id, created_by_user_id, created_at
`);

/** A `Company`. */
export const companyColumns = columnsOf(`
  id, name, description, status, issue_prefix, budget_monthly_cents, held_by_budget_at, runner,
  agent_caused_run_limit, created_at, updated_at
`);

/** The `HouseRules` of a company. */
export const houseRulesColumns = columnsOf(
  "company_id, revision_number, body, created_by_user_id, created_at",
);

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

/** A `BoardUser`. */
export const userColumns = columnsOf("id, name, is_admin as admin, created_at, disabled_at");

/** An `Issue`. */
export const issueColumns = columnsOf(`
  id, company_id, identifier, title, description, status, priority, assignee_agent_id, assignee_user_id,
  checkout_run_id, held_since, parent_id, project_id, goal_id, routine_id, billing_code, created_by_agent_id,
  created_by_user_id, started_at, completed_at, verified_at, cancelled_at, last_activity_at, created_at, updated_at
`);

/** A `Repository`. */
export const repositoryColumns = columnsOf(`
  id, company_id, project_id, url, default_branch, credential_secret_id, directory, mode, allow_private_host,
  host_kind, host_api_url, closes_issues, webhook_secret_id, sparse_folders, setup_command, run_command,
  archive_command, command_timeout_sec, author_name, author_email, branch_pattern, checked_at, problem, removed_at,
  created_at, updated_at
`);

/** An `IssueBranch`. */
export const issueBranchColumns = columnsOf(`
  issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, published_at, merged_at,
  merge_commit, abandoned_at, created_at, updated_at
`);

/** A `PullRequest`. */
export const pullRequestColumns = columnsOf(`
  id, company_id, issue_id, repository_id, branch, into_branch, title, body, state, number, url, head, base_commit,
  checks, checks_commit, failed_checks, wakes, handed_over_at, problem, by_kind, by_id, by_run_id, changed_at,
  polled_at, poll_at, created_at
`);

/** A `Tree`. */
export const workspaceColumns = columnsOf(`
  id, company_id, issue_id, volume, agent_id, run_id, state_run_id, uncaptured_run_id, problem, clones jsonb, made_at,
  used_at, created_at, tried_at, removal_id, first_port, bytes
`);

/** A `WorkspaceCommand`. */
export const workspaceCommandColumns = columnsOf(`
  id, company_id, workspace_id, repository_id, run_id, kind, command, exit_code, problem, output, duration_ms, ended_at
`);

/** A `RunWork`. */
export const runWorkColumns = columnsOf(`
  run_id, repository_id, company_id, issue_id, workspace_id, head, files, base, branch, state, left_out, blob_key,
  pack_bytes, captured_at
`);

/** A `McpServer`. */
export const mcpServerColumns = columnsOf(`
  id, company_id, name, url, command, args, headers jsonb, env jsonb, allow_private_host, all_agents, agent_ids,
  roles, tools jsonb, tested_at, created_at, updated_at
`);

/** An `EventSubscription`. */
export const eventSubscriptionColumns = columnsOf(`
  id, company_id, url, format, events, secret_version, previous_secret_until, disabled_at, disabled_because, failing_since,
  failures, last_error, created_at, updated_at
`);

/** An `EventDelivery`. */
export const eventDeliveryColumns = columnsOf(`
  id, subscription_id, event_id, type, subject_type, subject_id, state, attempts, first_attempt_at, last_attempt_at,
  next_attempt_at, status, answer, duration_ms, created_at
`);

/** A `Label`. */
export const labelColumns = columnsOf("id, company_id, name, color, created_at");

/** A `Comment`. */
export const commentColumns = columnsOf(`
  id, company_id, issue_id, body, author_agent_id, author_user_id, created_by_run_id, location jsonb, created_at,
  updated_at, edited_at, deleted_at
`);

/** A `Goal`. */
export const goalColumns = columnsOf(`
  id, company_id, title, description, level, status, parent_id, owner_agent_id, archived_at, created_at, updated_at
`);

/** A `Project`. */
export const projectColumns = columnsOf(`
  id, company_id, name, description, status, lead_agent_id, target_date, budget_monthly_cents, held_by_budget_at,
  archived_at, created_at, updated_at
`);

const runFacts = `
  id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, retry_of_run_id,
  stop_requested_at, stop_reason, started_at, created_at
` as const;

/** A `Run`. */
export const runColumns = columnsOf(
  `${runFacts}, context, service_id, runner, process, takes_messages, takes_interrupt, not_before`,
);

const shownRunColumns = columnsOf(`
  ${runFacts}, quarantined_since as held_since, finished_at, error_code, error, exit_code, signal, summary, usage, cost_cents,
  session_id_before, session_id_after, log_bytes, updated_at
`);

/** A `RunView`, of `runs r`, `agents a` and `issues i`. */
export const runView = fixedText(
  (sql) => sql`
  ${shownRunColumns(sql, "r")}, a.name as agent_name, i.identifier as issue_identifier, i.title as issue_title,
  case when r.status = 'running' then (
    select  min(asked.created_at)
    from    ${openPermissionRequests(sql, sql`r`)}
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

/** An `ApprovalComment`. */
export const approvalCommentColumns = columnsOf(`
  id, company_id, approval_id, body, author_agent_id, author_user_id, created_at
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

/** An `Attachment`. */
export const attachmentColumns = columnsOf(`
  id, company_id, issue_id, issue_comment_id, originating_run_id, asset_id, created_at
`);

/** A `Notice`. */
export const noticeColumns = columnsOf(
  "id, user_id, company_id, subject, version, kind, noticed_at, closed_at, sendings",
);
