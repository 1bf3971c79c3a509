-- Budgets of projects -------------------------------------------------------------------------------------------------

alter table projects
  add column budget_monthly_cents  bigint not null default 0,
  add column held_by_budget_at     timestamptz(3);
create index projects_held_by_budget on projects (company_id, held_by_budget_at) where held_by_budget_at is not null;

insert into budget_months (company_id, scope_id, month, spent_cents)
select    company_id, project_id, date_trunc('month', occurred_at, 'UTC'), sum(cost_cents)
from      cost_events
where     project_id is not null
group by  company_id, project_id, date_trunc('month', occurred_at, 'UTC');

-- What such a hold has kept an agent from is found with the rest.
drop index wakes_cut_off;
create index wakes_cut_off on wakes (company_id, agent_id)
  where end_reason in ('agent_paused', 'company_paused', 'company_archived', 'company_not_active', 'budget_exhausted', 'project_budget_exhausted');
drop index runs_cut_off;
create index runs_cut_off on runs (company_id, agent_id)
  where stop_reason in ('agent_paused', 'company_paused', 'company_archived', 'budget_exhausted', 'project_budget_exhausted');
