-- A sequence per company: a number is taken without holding the company's row until the commit, so that issues of one
-- company are made at the same time. What is undone leaves a gap.

create function issue_numbers_of(company_id uuid) returns text language sql immutable as $$
  select 'issue_numbers_' || replace(company_id::text, '-', '_')
$$;

do $$
declare
  company record;
begin
  for company in select id, issue_counter from companies loop
    execute format('create sequence %I start with %s', issue_numbers_of(company.id), company.issue_counter + 1);
  end loop;
end
$$;

alter table companies drop column issue_counter;

create function begin_issue_numbers() returns trigger language plpgsql as $$
begin
  execute format('create sequence %I', issue_numbers_of(new.id));
  return null;
end
$$;

create trigger companies_begin_issue_numbers after insert on companies
  for each row execute function begin_issue_numbers();
