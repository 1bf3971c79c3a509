-- How many issues of each status a company has, kept by every statement that changes it, in its transaction. A count is
-- a sum of rows, because with one row the transactions of a company would wait for each other: each takes a row that no
-- other holds, and makes one where all are held. So there are as many rows as there were transactions at once.
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

-- Of each row only where the status changes: most updates of an issue leave it.
create trigger issues_added_are_counted after insert on issues
  referencing new table as changed for each statement execute function count_issues_added();
create trigger issues_removed_are_counted after delete on issues
  referencing old table as changed for each statement execute function count_issues_removed();
create trigger issues_moved_are_counted after update on issues
  for each row when ((old.company_id, old.status) is distinct from (new.company_id, new.status))
  execute function count_issue_moved();

-- The triggers lock the table against writers until the end, so that nothing is counted twice or not at all.
insert into issue_counts (company_id, status, issues)
select   company_id, status, count(*)
from     issues
group by company_id, status;
