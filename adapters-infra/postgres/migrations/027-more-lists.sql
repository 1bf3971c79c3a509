-- Issues by last activity, each status in order.
create index issues_by_activity on issues (company_id, status, last_activity_at, id);
-- Runs of a stretch of time, and those that ended with an error.
create index runs_by_time on runs (company_id, created_at);
create index runs_by_error on runs (company_id, error_code, id) where error_code is not null;
-- Approvals of one type.
create index approvals_by_type on approvals (company_id, type, id);
