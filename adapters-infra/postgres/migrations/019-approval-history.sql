-- What an approval asked for before it was resubmitted, and what was said to that.
create table approval_rounds (
  company_id           uuid not null,
  approval_id          uuid not null,
  payload_revision     integer not null,
  payload              jsonb not null,
  status               text not null,
  decision_note        text,
  decided_by_agent_id  uuid,
  decided_by_user_id   uuid references board_users,
  decided_at           timestamptz(3),
  primary key (approval_id, payload_revision),
  foreign key (company_id, approval_id) references approvals (company_id, id)
);
-- Variables of a hire whose values an agent wrote: they are shown to the people who decide.
alter table approvals add column proposed_variables text[] not null default '{}';
