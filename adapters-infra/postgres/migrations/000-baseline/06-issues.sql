-- The units of work.
create table issues (
  id                   uuid primary key,
  company_id           uuid not null references companies,
  identifier           text not null constraint issues_identifier_key unique,
  title                text not null,
  description          text,
  status               text not null
    check (status in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled')),
  priority             text not null check (priority in ('critical', 'high', 'medium', 'low')),
  priority_rank        smallint
    generated always as (case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end) stored,
  -- Who owns it, in every open status: an agent or a person.
  assignee_agent_id    uuid,
  assignee_user_id     uuid references board_users,
  -- The lock: the run that works on it, and since when.
  checkout_run_id      uuid,
  held_since           timestamptz(3),
  parent_id            uuid,
  project_id           uuid,
  goal_id              uuid,
  billing_code         text,
  -- the routine that created it
  routine_id           uuid,
  created_by_agent_id  uuid,
  created_by_user_id   uuid,
  started_at           timestamptz(3),
  completed_at         timestamptz(3),
  cancelled_at         timestamptz(3),
  search               tsvector,
  last_activity_at     timestamptz(3) not null,
  -- when it was done with all gates met; null: it is not done, or was done without gates
  verified_at          timestamptz(3),
  -- The gates of issue_gates apply, which may be none; false: those of its project.
  has_own_gates        boolean not null default false,
  -- When its last run ended, while its gates are still judged: their verdict decides whether another run follows. A checkout or
  -- another status ends the wait.
  awaits_gates_since   timestamptz(3),
  created_at           timestamptz(3) not null,
  updated_at           timestamptz(3) not null,
  unique (company_id, id),
  foreign key (company_id, assignee_agent_id) references agents (company_id, id),
  foreign key (company_id, parent_id) references issues (company_id, id),
  foreign key (company_id, project_id) references projects (company_id, id),
  foreign key (company_id, goal_id) references goals (company_id, id),
  constraint issues_lock_has_assignee check (checkout_run_id is null or (status = 'in_progress' and assignee_agent_id is not null)),
  constraint issues_await_gates_unlocked check (awaits_gates_since is null or (status = 'in_progress' and checkout_run_id is null)),
  constraint issues_one_assignee check (assignee_agent_id is null or assignee_user_id is null)
);
create index issues_by_holder on issues (checkout_run_id) where checkout_run_id is not null;
create index issues_in_order on issues (company_id, (-priority_rank), last_activity_at, id);
create index issues_by_status on issues (company_id, status, (-priority_rank), last_activity_at, id);
create index issues_by_assignee on issues (assignee_agent_id, status, (-priority_rank), last_activity_at, id)
  where assignee_agent_id is not null;
create index issues_by_project on issues (project_id, status, (-priority_rank), last_activity_at, id) where project_id is not null;
create index issues_by_goal on issues (goal_id, status, (-priority_rank), last_activity_at, id) where goal_id is not null;
create index issues_by_parent on issues (parent_id, status, (-priority_rank), last_activity_at, id) where parent_id is not null;
create index issues_by_activity on issues (company_id, status, last_activity_at, id);
create index issues_by_person on issues (assignee_user_id, company_id, status, (-priority_rank), last_activity_at, id)
  where assignee_user_id is not null;
-- Asked for at each firing of the routine.
create index issues_open_of_routine on issues (routine_id, id desc)
  where routine_id is not null and status not in ('done', 'cancelled');
create index issues_found on issues using gin (search, eras(company_id, id));
create index issues_by_creating_agent on issues (created_by_agent_id, status, (-priority_rank), last_activity_at, id)
  where created_by_agent_id is not null;
create index issues_by_creating_person on issues (created_by_user_id, company_id, status, (-priority_rank), last_activity_at, id)
  where created_by_user_id is not null;
create index issues_open_with_own_gates on issues (id) where has_own_gates and status not in ('done', 'cancelled');
create index issues_verified on issues (company_id, id) where verified_at is not null;
create index issues_awaiting_gates on issues (awaits_gates_since) where awaits_gates_since is not null;

create function index_issue() returns trigger language plpgsql as $$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(new.title), 'A')
    || setweight(found_words(coalesce(new.description, '')), 'B');
  return new;
end
$$;

-- Triggers, because a generated column would be rewritten with the whole table when its expression changes. `always`: also where
-- rows are copied with triggers off, as a restore does.
create trigger new_issues_are_indexed before insert on issues for each row execute function index_issue();

create trigger changed_issues_are_indexed before update on issues
  for each row when ((old.title, old.description) is distinct from (new.title, new.description))
  execute function index_issue();
alter table issues enable always trigger new_issues_are_indexed, enable always trigger changed_issues_are_indexed;

-- Issues that must be closed before another can be checked out.
create table issue_blockers (
  company_id     uuid not null,
  issue_id       uuid not null,
  blocked_by_id  uuid not null,
  primary key (issue_id, blocked_by_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, blocked_by_id) references issues (company_id, id)
);
create index issue_blockers_by_blocker on issue_blockers (blocked_by_id);

create table issue_labels (
  company_id  uuid not null,
  issue_id    uuid not null,
  label_id    uuid not null,
  primary key (issue_id, label_id),
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, label_id) references labels (company_id, id) on delete cascade
);
create index issue_labels_by_label on issue_labels (label_id, issue_id);

-- The people who watch an issue, and until when they have seen what happened on it.
create table issue_watchers (
  company_id      uuid not null,
  issue_id        uuid not null,
  user_id         uuid not null references board_users,
  watching_since  timestamptz(3) not null,
  seen_at         timestamptz(3) not null,
  -- by the last comment that names the person; null: never
  mentioned_at    timestamptz(3),
  primary key (issue_id, user_id),
  foreign key (company_id, issue_id) references issues (company_id, id)
);
create index issue_watchers_by_person on issue_watchers (user_id, company_id);

-- Requests of runs that their issue be done, refused because gates are judged after a run's end. The service repeats each then,
-- with its comment.
create table done_requests (
  issue_id    uuid primary key,
  company_id  uuid not null references companies,
  agent_id    uuid not null,
  run_id      uuid not null,
  comment     text,
  created_at  timestamptz(3) not null,
  foreign key (company_id, issue_id) references issues (company_id, id),
  foreign key (company_id, agent_id) references agents (company_id, id)
);

-- Lists of issues that a person has named: the query of the page's address.
create table saved_views (
  id          uuid primary key,
  company_id  uuid not null references companies,
  user_id     uuid not null references board_users,
  name        text not null,
  query       text not null,
  created_at  timestamptz(3) not null,
  updated_at  timestamptz(3) not null
);
create unique index saved_views_of_person on saved_views (user_id, company_id, (lower(name collate "und-x-icu") collate "C"));

-- How many issues of each status a company has, updated by triggers in the transaction of the change. A count is a sum of rows:
-- with one row, transactions of a company would wait for each other. Each takes a row that no other has locked, and inserts one
-- where all are locked, so that there are as many rows as there were concurrent transactions.
create table issue_counts (
  company_id  uuid not null references companies,
  status      text not null,
  part        integer not null generated always as identity,
  issues      bigint not null,
  primary key (company_id, status, part)
) with (fillfactor = 50);

create function add_to_issue_count(of_company uuid, of_status text, added bigint) returns void language plpgsql as $$
declare
  free integer;
begin
  select part
  into   free
  from   issue_counts
  where  company_id = of_company
  and    status = of_status
  limit  1
  for    no key update skip locked;

  if found then
    update issue_counts
    set    issues = issues + added
    where  company_id = of_company
    and    status = of_status
    and    part = free;
  else
    insert into issue_counts (company_id, status, issues)
    values (of_company, of_status, added);
  end if;
end
$$;

create function count_issues_added() returns trigger language plpgsql as $$
begin
  perform add_to_issue_count(company_id, status, count(*)) from changed group by company_id, status;
  return null;
end
$$;

create function count_issues_removed() returns trigger language plpgsql as $$
begin
  perform add_to_issue_count(company_id, status, -count(*)) from changed group by company_id, status;
  return null;
end
$$;

create function count_issue_moved() returns trigger language plpgsql as $$
begin
  perform add_to_issue_count(old.company_id, old.status, -1);
  perform add_to_issue_count(new.company_id, new.status, 1);
  return null;
end
$$;

-- An update is counted only where the status changes: most leave it.
create trigger issues_added_are_counted after insert on issues
  referencing new table as changed for each statement execute function count_issues_added();

create trigger issues_removed_are_counted after delete on issues
  referencing old table as changed for each statement execute function count_issues_removed();

create trigger issues_moved_are_counted after update on issues
  for each row when ((old.company_id, old.status) is distinct from (new.company_id, new.status))
  execute function count_issue_moved();
