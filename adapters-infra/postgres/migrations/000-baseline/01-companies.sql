-- The baseline of the schema, one file for each group of nouns, applied in the order of their numbers. Rules for all tables:
--
-- An id is a UUID v7 made by the service: ids of one table are in the order of time, so that indexes grow at one end. A foreign
-- key between tables of one company includes company_id, so that no row can refer to a row of another company. Times have
-- milliseconds. Money is in cents. `..._by_kind` and `..._by_id` name the actor: a board user, an agent, or the service. A
-- partial index has the condition of the statement that needs it; `test/contracts/list-plans.test.ts` checks that it is used.

-- The unit of isolation: what two companies have, they do not share.
create table companies (
  id                      uuid primary key,
  name                    text not null,
  description             text,
  status                  text not null check (status in ('active', 'paused', 'archived')),
  issue_prefix            text not null constraint companies_issue_prefix_key unique,
  budget_monthly_cents    bigint not null default 0,
  logo_asset_id           uuid,
  -- Since when its monthly budget is used up, which stops all its agents; null: it is not.
  held_by_budget_at       timestamptz(3),
  -- Counts the companies of the instance; never given to another, because users of the operating system are derived from it.
  number                  integer not null generated always as identity unique,
  -- The runner of its agents' runs, unless an agent names one; null: the service's default.
  runner                  text,
  -- How many runs that only agents caused may start in ten minutes before they are quarantined.
  agent_caused_run_limit  integer not null default 30,
  created_at              timestamptz(3) not null,
  updated_at              timestamptz(3) not null
);
create index companies_held_by_budget on companies (held_by_budget_at) where held_by_budget_at is not null;

-- The numbers of a company's issues are a sequence of its own. A transaction takes one without locking the company until its
-- commit, so that issues of a company are created concurrently; one that is rolled back leaves a gap.
create function issue_numbers_of(company_id uuid) returns text language sql immutable as $$
  select 'issue_numbers_' || replace(company_id::text, '-', '_')
$$;

create function begin_issue_numbers() returns trigger language plpgsql as $$
begin
  execute format('create sequence %I', issue_numbers_of(new.id));
  return null;
end
$$;

create trigger companies_begin_issue_numbers after insert on companies
  for each row execute function begin_issue_numbers();

-- What all agents of a company read in every run. The latest revision applies.
create table house_rules (
  company_id          uuid not null references companies,
  revision_number     integer not null,
  body                text not null,
  created_by_user_id  uuid,
  created_at          timestamptz(3) not null,
  primary key (company_id, revision_number)
);
