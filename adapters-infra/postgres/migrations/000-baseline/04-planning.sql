-- What a company wants.
create table goals (
  id              uuid primary key,
  company_id      uuid not null references companies,
  title           text not null,
  description     text,
  level           text not null check (level in ('company', 'team', 'agent', 'task')),
  status          text not null check (status in ('planned', 'active', 'achieved', 'cancelled')),
  parent_id       uuid,
  owner_agent_id  uuid,
  archived_at     timestamptz(3),
  created_at      timestamptz(3) not null,
  updated_at      timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, parent_id) references goals (company_id, id),
  foreign key (company_id, owner_agent_id) references agents (company_id, id)
);
create index goals_in_use on goals (company_id, id) where archived_at is null;

-- Pieces of work that issues belong to.
create table projects (
  id                    uuid primary key,
  company_id            uuid not null references companies,
  name                  text not null,
  description           text,
  status                text not null check (status in ('backlog', 'planned', 'in_progress', 'completed', 'cancelled')),
  lead_agent_id         uuid,
  target_date           date,
  archived_at           timestamptz(3),
  budget_monthly_cents  bigint not null default 0,
  -- Since when its monthly budget is used up, which stops agents on its issues; null: it is not.
  held_by_budget_at     timestamptz(3),
  created_at            timestamptz(3) not null,
  updated_at            timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, lead_agent_id) references agents (company_id, id)
);
-- A page of the projects in use is read without those that were archived.
create index projects_in_use on projects (company_id, id) where archived_at is null;
create index projects_held_by_budget on projects (company_id, held_by_budget_at) where held_by_budget_at is not null;

-- Names by which issues of a company are found.
create table labels (
  id          uuid primary key,
  company_id  uuid not null references companies,
  name        text not null,
  color       text,
  created_at  timestamptz(3) not null,
  unique (company_id, id)
);
create unique index labels_name_key on labels (company_id, (lower(name collate "und-x-icu") collate "C"));
