-- The budget that the soft alert of a month was given for: a raised budget gives one of its own ---------------------------

alter table budget_months add column alerted_budget_cents bigint;
