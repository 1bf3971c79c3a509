-- Cost events that are older than they are kept are folded: deleted, while their sums stay. Sums of days and months are kept
-- anyway (034); those of an issue on a day are made when its events are folded.

-- Until when (UTC, the beginning of a month) events of a company may have been folded.
create table cost_folds (
  company_id  uuid primary key references companies,
  before      timestamptz(3) not null
);

-- The sums of the folded events of an issue on a day (UTC), null: of no issue; by the day before it on which their runs cost
-- something on that issue, -infinity: on none. The runs of a period are those whose previous day lies before it.
create table cost_issue_days (
  company_id           uuid not null references companies,
  day                  date not null,
  issue_id             uuid,
  previous_day         date not null,
  cost_cents           numeric(30, 6) not null,
  priced_cents         numeric(30, 6) not null,
  input_tokens         numeric(30) not null,
  cached_input_tokens  numeric(30) not null,
  output_tokens        numeric(30) not null,
  event_count          bigint not null,
  unknown_event_count  bigint not null,
  unknown_tokens       numeric(30) not null,
  run_count            bigint not null,
  constraint cost_issue_days_key unique nulls not distinct (company_id, day, issue_id, previous_day)
);
