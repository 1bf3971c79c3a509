-- Issues by urgency, in one direction ----------------------------------------------------------------------------------

-- The rank turned round goes the way of time: one comparison of the three says what comes after a place, and the place is
-- found at once. Of an agent, a project, a goal or a parent each status is asked for by itself, so that a few open issues
-- are not looked for among all that are done.
drop index issues_in_order;
drop index issues_by_status;
drop index issues_by_assignee;
drop index issues_by_project;
drop index issues_by_goal;
drop index issues_by_parent_in_order;
create index issues_in_order on issues (company_id, (-priority_rank), last_activity_at, id);
create index issues_by_status on issues (company_id, status, (-priority_rank), last_activity_at, id);
create index issues_by_assignee on issues (assignee_agent_id, status, (-priority_rank), last_activity_at, id) where assignee_agent_id is not null;
create index issues_by_project on issues (project_id, status, (-priority_rank), last_activity_at, id) where project_id is not null;
create index issues_by_goal on issues (goal_id, status, (-priority_rank), last_activity_at, id) where goal_id is not null;
create index issues_by_parent on issues (parent_id, status, (-priority_rank), last_activity_at, id) where parent_id is not null;

-- Lists that had no index of their own -----------------------------------------------------------------------------------

create index runs_by_status on runs (company_id, status, id);
create index activity_by_type on activity (company_id, entity_type, id desc);
-- Costs are listed as they are asked for: by when they occurred.
drop index cost_events_by_agent;
drop index cost_events_by_company;
drop index cost_events_in_order;
create index cost_events_by_agent on cost_events (agent_id, occurred_at, id) include (cost_cents);
create index cost_events_by_company on cost_events (company_id, occurred_at, id) include (cost_cents);
-- Tokens are listed, sessions are not, and there are many more of them.
drop index board_tokens_by_user;
create index board_tokens_by_user on board_tokens (user_id, id) where kind = 'token';

-- The same as a constraint's ----------------------------------------------------------------------------------------------

-- Each of these tables is unique by company and id, and an index is read in both directions.
drop index runs_by_company;
drop index issues_created;
drop index approvals_in_order;
drop index vaults_by_company;
drop index secrets_by_company;
-- Revisions are unique by document and number, and their numbers go with their ids.
drop index document_revisions_by_document;
