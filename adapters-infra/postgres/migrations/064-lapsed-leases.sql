-- When a service first saw that the lease had ended; null: it is valid, or nobody has looked since.
alter table merges add column lapsed_at timestamptz(3);
alter table gate_checks add column lapsed_at timestamptz(3);
create index gate_checks_running on gate_checks (lease_until) where state = 'running';
