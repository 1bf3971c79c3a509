-- Which payload a decision is about: the first is 1, and each resubmit counts one on.
alter table approvals add column payload_revision integer not null default 1;
