-- What a hold has kept an agent from, found when it is lifted.
create index wakes_cut_off on wakes (company_id, agent_id)
  where end_reason in ('agent_paused', 'company_paused', 'company_archived', 'company_not_active', 'budget_exhausted');
create index runs_cut_off on runs (company_id, agent_id)
  where stop_reason in ('agent_paused', 'company_paused', 'company_archived', 'budget_exhausted');
