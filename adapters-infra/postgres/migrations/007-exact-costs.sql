-- Costs to a millionth of a cent: a run may cost less than a cent, and a thousand of them must not cost nothing ----------

alter table cost_events alter column cost_cents type numeric(30, 6);
alter table budget_months alter column spent_cents type numeric(30, 6);
