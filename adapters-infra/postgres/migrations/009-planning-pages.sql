-- What is planned, in pages: those in use are found without going over all that were archived.
create index projects_in_use on projects (company_id, id) where archived_at is null;
create index goals_in_use on goals (company_id, id) where archived_at is null;

-- What waits for what is followed from issue to issue; nothing asks for all of a company's.
drop index issue_blockers_by_company;
