-- The schema of the database after all migrations, printed by `npm run schema`. Do not edit: change it by a migration.

create sequence stream_positions;

-- The unit of isolation: what two companies have, they do not share.
create table companies (
  id uuid not null,
  name text not null,
  description text,
  status text not null,
  issue_prefix text not null,
  budget_monthly_cents bigint not null default 0,
  logo_asset_id uuid,
  -- Since when its monthly budget is used up, which stops all its agents; null: it is not.
  held_by_budget_at timestamptz(3),
  -- Counts the companies of the instance; never given to another, because users of the operating system are derived from it.
  number integer not null generated always as identity,
  -- The runner of its agents' runs, unless an agent names one; null: the service's default.
  runner text,
  -- How many runs that only agents caused may start in ten minutes before they are quarantined.
  agent_caused_run_limit integer not null default 30,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_issue_prefix_key UNIQUE (issue_prefix),
  constraint companies_number_key UNIQUE (number),
  constraint companies_id_logo_asset_id_fkey FOREIGN KEY (id, logo_asset_id) REFERENCES assets(company_id, id),
  constraint companies_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'archived'::text])))
);
CREATE INDEX companies_held_by_budget ON companies USING btree (held_by_budget_at) WHERE (held_by_budget_at IS NOT NULL);
CREATE TRIGGER companies_begin_issue_numbers AFTER INSERT ON companies FOR EACH ROW EXECUTE FUNCTION begin_issue_numbers();

-- What all agents of a company read in every run. The latest revision applies.
create table house_rules (
  company_id uuid not null,
  revision_number integer not null,
  body text not null,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  constraint house_rules_pkey PRIMARY KEY (company_id, revision_number),
  constraint house_rules_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- The people who operate companies.
create table board_users (
  id uuid not null,
  name text not null,
  -- Is an owner of every company, and manages users and adapters.
  is_admin boolean not null default false,
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint board_users_pkey PRIMARY KEY (id)
);
-- Instance admins are listed with the people of each company.
CREATE INDEX board_users_admins ON board_users USING btree (id) WHERE is_admin;

-- The role of a person in a company.
create table memberships (
  company_id uuid not null,
  user_id uuid not null,
  role text not null,
  -- the sign-in provider whose groups give the role; null: people have given it
  provider text,
  created_at timestamptz(3) not null,
  constraint memberships_pkey PRIMARY KEY (user_id, company_id),
  constraint memberships_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text])))
);
CREATE INDEX memberships_by_company ON memberships USING btree (company_id);

-- Credentials of people: tokens for programs, and the sessions of browsers. Only hashes are stored.
create table board_tokens (
  id uuid not null,
  user_id uuid not null,
  kind text not null,
  name text not null,
  hash bytea not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- of a session: the browser that began it, and where it was last used from
  device text,
  -- of a session: the sign-in provider at which it began
  provider text,
  address text,
  -- of a session: when its person last verified themselves with a passkey
  verified_at timestamptz(3),
  -- When a session ends even while it is used; `expires_at` moves on with each use.
  ends_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint board_tokens_pkey PRIMARY KEY (id),
  constraint board_tokens_hash_key UNIQUE (hash),
  constraint board_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint board_tokens_kind_check CHECK ((kind = ANY (ARRAY['token'::text, 'session'::text]))),
  constraint board_tokens_sessions_end CHECK (((kind <> 'session'::text) OR ((expires_at IS NOT NULL) AND (ends_at IS NOT NULL))))
);
CREATE INDEX board_tokens_by_user ON board_tokens USING btree (user_id, id) WHERE (kind = 'token'::text);
CREATE INDEX board_tokens_sessions ON board_tokens USING btree (ends_at) WHERE (kind = 'session'::text);
CREATE INDEX board_tokens_sessions_of_user ON board_tokens USING btree (user_id, id) WHERE (kind = 'session'::text);

-- Codes of one-time links. Only hashes are stored. A code stays after its use, so that a second use is recognised.
create table sign_in_codes (
  id uuid not null,
  user_id uuid not null,
  purpose text not null,
  hash bytea not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  revoked_at timestamptz(3),
  reuses integer not null default 0,
  last_reuse_at timestamptz(3),
  -- of the session that the link begins
  session_name text not null,
  -- The session ends then at the latest: with the session or token that made the link.
  latest timestamptz(3),
  created_at timestamptz(3) not null,
  constraint sign_in_codes_pkey PRIMARY KEY (id),
  constraint sign_in_codes_hash_key UNIQUE (hash),
  constraint sign_in_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint sign_in_codes_purpose_check CHECK ((purpose = ANY (ARRAY['start'::text, 'open'::text, 'invitation'::text])))
);
CREATE INDEX sign_in_codes_by_user ON sign_in_codes USING btree (user_id, id);
CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes USING btree (expires_at);

-- An email address under which a person is invited, and is recognised by a provider that has verified it.
create table invited_addresses (
  user_id uuid not null,
  address text not null,
  created_at timestamptz(3) not null,
  constraint invited_addresses_pkey PRIMARY KEY (user_id),
  constraint invited_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX invited_addresses_by_address ON invited_addresses USING btree (address);

-- Accounts of people at sign-in providers.
create table identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  -- the sign-in provider of the settings at which the person last signed in
  provider text,
  -- its refresh token, which reads the groups of the person again; null: it gave none
  sealed bytea,
  -- when it was last asked for the groups
  checked_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint identities_pkey PRIMARY KEY (issuer, subject),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX identities_by_check ON identities USING btree (checked_at) WHERE (sealed IS NOT NULL);
CREATE INDEX identities_by_user ON identities USING btree (user_id);

-- Sign-ins of people, and those that were refused, for a person to look over.
create table sign_ins (
  id uuid not null,
  user_id uuid not null,
  method text not null,
  -- the code of the refusal; null: signed in
  refusal text,
  device text,
  address text,
  new_device boolean not null,
  created_at timestamptz(3) not null,
  constraint sign_ins_pkey PRIMARY KEY (id),
  constraint sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint sign_ins_method_check CHECK ((method = ANY (ARRAY['token'::text, 'link'::text, 'invitation'::text, 'provider'::text, 'passkey'::text])))
);
CREATE INDEX sign_ins_by_user ON sign_ins USING btree (user_id, id DESC);

-- Passkeys of people: the public keys of their authenticators.
create table passkeys (
  id uuid not null,
  user_id uuid not null,
  name text not null,
  -- as the authenticator names it
  credential_id bytea not null,
  -- in COSE
  public_key bytea not null,
  -- of signatures; zero in passkeys that are synchronized between devices
  counter bigint not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX passkeys_by_user ON passkeys USING btree (user_id, id);

-- Challenges that were answered: each works once. A row goes when its challenge has expired.
create table used_challenges (
  challenge bytea not null,
  expires_at timestamptz(3) not null,
  constraint used_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX used_challenges_by_expiry ON used_challenges USING btree (expires_at);

-- Clients of OAuth that registered themselves: programs that people may let act for them.
create table oauth_clients (
  id uuid not null,
  -- as the client names itself
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz(3) not null,
  constraint oauth_clients_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_clients_by_time ON oauth_clients USING btree (created_at, id);

-- Assistants: clients that a person has allowed to act with their rights, within scopes. Only hashes are stored.
create table assistants (
  id uuid not null,
  user_id uuid not null,
  -- the id of a registration, or the address of the client's document
  client_id text not null,
  name text not null,
  -- where the person was sent back to
  host text not null,
  scopes text[] not null,
  -- of the authorization, which the client exchanges once
  code_hash bytea not null,
  code_challenge text not null,
  code_redirect_uri text not null,
  code_expires_at timestamptz(3) not null,
  code_used_at timestamptz(3),
  last_used_at timestamptz(3),
  -- with its code or its last refresh token
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  constraint assistants_pkey PRIMARY KEY (id),
  constraint assistants_code_hash_key UNIQUE (code_hash),
  constraint assistants_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX assistants_by_user ON assistants USING btree (user_id, id);
CREATE INDEX assistants_by_client ON assistants USING btree (client_id);
CREATE INDEX assistants_by_expiry ON assistants USING btree (expires_at);

-- Tokens of assistants. A refresh token stays after its use, so that a second use is recognised.
create table assistant_tokens (
  hash bytea not null,
  assistant_id uuid not null,
  kind text not null,
  scopes text[] not null,
  used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  constraint assistant_tokens_pkey PRIMARY KEY (hash),
  constraint assistant_tokens_assistant_id_fkey FOREIGN KEY (assistant_id) REFERENCES assistants(id) ON DELETE CASCADE,
  constraint assistant_tokens_kind_check CHECK ((kind = ANY (ARRAY['access'::text, 'refresh'::text])))
);
CREATE INDEX assistant_tokens_by_assistant ON assistant_tokens USING btree (assistant_id);
CREATE INDEX assistant_tokens_by_expiry ON assistant_tokens USING btree (expires_at);

-- Where people get email.
create table email_addresses (
  user_id uuid not null,
  -- null: the person has removed it, and no sign-in provider sets it again
  address text,
  -- the sign-in provider that has verified it; null: the person has confirmed it by a link
  provider text,
  confirmed_at timestamptz(3),
  constraint email_addresses_pkey PRIMARY KEY (user_id),
  constraint email_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint email_addresses_confirmed CHECK (((address IS NULL) = (confirmed_at IS NULL)))
);

-- Links that confirm an email address. Only hashes are stored.
create table email_confirmations (
  id uuid not null,
  user_id uuid not null,
  address text not null,
  hash bytea not null,
  expires_at timestamptz(3) not null,
  -- used, or replaced by another one
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint email_confirmations_pkey PRIMARY KEY (id),
  constraint email_confirmations_hash_key UNIQUE (hash),
  constraint email_confirmations_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX email_confirmations_by_user ON email_confirmations USING btree (user_id, created_at);
CREATE INDEX email_confirmations_by_address ON email_confirmations USING btree (lower(address), created_at);
CREATE INDEX email_confirmations_by_age ON email_confirmations USING btree (created_at);

-- Those who do the work. Their status is derived, never stored.
create table agents (
  id uuid not null,
  company_id uuid not null,
  name text not null,
  -- Names the agent in addresses and mentions; free again once the agent is terminated.
  url_key text not null,
  role text not null,
  title text,
  reports_to uuid,
  capabilities text,
  lifecycle_state text not null,
  -- When a person, and its monthly budget, stopped it; null: not.
  held_manually_at timestamptz(3),
  held_by_budget_at timestamptz(3),
  -- Why its last run failed; null: it did not.
  error_reason text,
  adapter_type text not null,
  adapter_config jsonb not null,
  runtime_config jsonb not null,
  metadata jsonb,
  budget_monthly_cents bigint not null default 0,
  last_heartbeat_at timestamptz(3),
  -- The next wake by its timer.
  next_timer_at timestamptz(3),
  -- The volume with its files, for runs of the runner `local`; null: that of the host where the next run starts.
  volume text,
  volume_since timestamptz(3),
  -- Paths of the service's host that an instance admin shows to the agent: [{ path, real, access }].
  granted_paths jsonb not null default '[]'::jsonb,
  account text not null generated always as (account_of(company_id, runtime_config, adapter_config)) stored,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint agents_pkey PRIMARY KEY (id),
  constraint agents_company_id_id_key UNIQUE (company_id, id),
  constraint agents_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint agents_company_id_reports_to_fkey FOREIGN KEY (company_id, reports_to) REFERENCES agents(company_id, id),
  constraint agents_lifecycle_state_check CHECK ((lifecycle_state = ANY (ARRAY['active'::text, 'pending_approval'::text, 'terminated'::text])))
);
CREATE UNIQUE INDEX agents_url_key_key ON agents USING btree (company_id, url_key) WHERE (lifecycle_state <> 'terminated'::text);
CREATE INDEX agents_by_timer ON agents USING btree (next_timer_at) WHERE ((next_timer_at IS NOT NULL) AND (lifecycle_state = 'active'::text));
CREATE INDEX agents_held_by_budget ON agents USING btree (held_by_budget_at) WHERE (held_by_budget_at IS NOT NULL);
CREATE INDEX agents_by_volume ON agents USING btree (volume) WHERE (volume IS NOT NULL);

-- Credentials of agents that call from outside a run. Only hashes are stored.
create table agent_keys (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  name text not null,
  hash bytea not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint agent_keys_pkey PRIMARY KEY (id),
  constraint agent_keys_hash_key UNIQUE (hash),
  constraint agent_keys_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id)
);
CREATE INDEX agent_keys_by_agent ON agent_keys USING btree (agent_id, id);

-- Each change of an agent's configuration. Only inserted.
create table agent_config_revisions (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  source text not null,
  rolled_back_from_revision_id uuid,
  changed_keys text[] not null,
  before_config jsonb,
  after_config jsonb not null,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  constraint agent_config_revisions_pkey PRIMARY KEY (id),
  constraint agent_config_revisions_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint agent_config_revisions_source_check CHECK ((source = ANY (ARRAY['create'::text, 'patch'::text, 'rollback'::text])))
);
CREATE INDEX agent_config_revisions_by_agent ON agent_config_revisions USING btree (agent_id, id DESC);

-- No run of an adapter with an account starts before that time, because the provider's limit is used up.
create table account_holds (
  adapter_type text not null,
  account_key text not null,
  not_before timestamptz(3) not null,
  -- the run that reported it
  run_id uuid not null,
  created_at timestamptz(3) not null,
  constraint account_holds_pkey PRIMARY KEY (adapter_type, account_key)
);

-- How much of a provider's limits an account has used, as programs of agents reported it last.
create table usage_windows (
  adapter_type text not null,
  account_key text not null,
  name text not null,
  -- null: the program does not report it
  status text,
  used_percent double precision,
  window_minutes integer,
  resets_at timestamptz(3),
  run_id uuid not null,
  reported_at timestamptz(3) not null,
  constraint usage_windows_pkey PRIMARY KEY (adapter_type, account_key, name),
  constraint usage_windows_status_check CHECK ((status = ANY (ARRAY['allowed'::text, 'warning'::text, 'rejected'::text])))
);

-- What a company wants.
create table goals (
  id uuid not null,
  company_id uuid not null,
  title text not null,
  description text,
  level text not null,
  status text not null,
  parent_id uuid,
  owner_agent_id uuid,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint goals_pkey PRIMARY KEY (id),
  constraint goals_company_id_id_key UNIQUE (company_id, id),
  constraint goals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint goals_company_id_parent_id_fkey FOREIGN KEY (company_id, parent_id) REFERENCES goals(company_id, id),
  constraint goals_company_id_owner_agent_id_fkey FOREIGN KEY (company_id, owner_agent_id) REFERENCES agents(company_id, id),
  constraint goals_level_check CHECK ((level = ANY (ARRAY['company'::text, 'team'::text, 'agent'::text, 'task'::text]))),
  constraint goals_status_check CHECK ((status = ANY (ARRAY['planned'::text, 'active'::text, 'achieved'::text, 'cancelled'::text])))
);
CREATE INDEX goals_in_use ON goals USING btree (company_id, id) WHERE (archived_at IS NULL);

-- Pieces of work that issues belong to.
create table projects (
  id uuid not null,
  company_id uuid not null,
  name text not null,
  description text,
  status text not null,
  lead_agent_id uuid,
  target_date date,
  archived_at timestamptz(3),
  budget_monthly_cents bigint not null default 0,
  -- Since when its monthly budget is used up, which stops agents on its issues; null: it is not.
  held_by_budget_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_company_id_id_key UNIQUE (company_id, id),
  constraint projects_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint projects_company_id_lead_agent_id_fkey FOREIGN KEY (company_id, lead_agent_id) REFERENCES agents(company_id, id),
  constraint projects_status_check CHECK ((status = ANY (ARRAY['backlog'::text, 'planned'::text, 'in_progress'::text, 'completed'::text, 'cancelled'::text])))
);
-- A page of the projects in use is read without those that were archived.
CREATE INDEX projects_in_use ON projects USING btree (company_id, id) WHERE (archived_at IS NULL);
CREATE INDEX projects_held_by_budget ON projects USING btree (company_id, held_by_budget_at) WHERE (held_by_budget_at IS NOT NULL);

-- Names by which issues of a company are found.
create table labels (
  id uuid not null,
  company_id uuid not null,
  name text not null,
  color text,
  created_at timestamptz(3) not null,
  constraint labels_pkey PRIMARY KEY (id),
  constraint labels_company_id_id_key UNIQUE (company_id, id),
  constraint labels_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE UNIQUE INDEX labels_name_key ON labels USING btree (company_id, lower((name COLLATE "und-x-icu")) COLLATE "C");

-- The units of work.
create table issues (
  id uuid not null,
  company_id uuid not null,
  identifier text not null,
  title text not null,
  description text,
  status text not null,
  priority text not null,
  priority_rank smallint generated always as (
CASE priority
    WHEN 'critical'::text THEN 0
    WHEN 'high'::text THEN 1
    WHEN 'medium'::text THEN 2
    ELSE 3
END) stored,
  -- Who owns it, in every open status: an agent or a person.
  assignee_agent_id uuid,
  assignee_user_id uuid,
  -- The lock: the run that works on it, and since when.
  checkout_run_id uuid,
  held_since timestamptz(3),
  parent_id uuid,
  project_id uuid,
  goal_id uuid,
  billing_code text,
  -- the routine that created it
  routine_id uuid,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  cancelled_at timestamptz(3),
  search tsvector,
  last_activity_at timestamptz(3) not null,
  -- when it was done with all gates met; null: it is not done, or was done without gates
  verified_at timestamptz(3),
  -- The gates of issue_gates apply, which may be none; false: those of its project.
  has_own_gates boolean not null default false,
  -- When its last run ended, while its gates are still judged: their verdict decides whether another run follows. A checkout or
  -- another status ends the wait.
  awaits_gates_since timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint issues_pkey PRIMARY KEY (id),
  constraint issues_identifier_key UNIQUE (identifier),
  constraint issues_company_id_id_key UNIQUE (company_id, id),
  constraint issues_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint issues_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES board_users(id),
  constraint issues_company_id_assignee_agent_id_fkey FOREIGN KEY (company_id, assignee_agent_id) REFERENCES agents(company_id, id),
  constraint issues_company_id_parent_id_fkey FOREIGN KEY (company_id, parent_id) REFERENCES issues(company_id, id),
  constraint issues_company_id_project_id_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id),
  constraint issues_company_id_goal_id_fkey FOREIGN KEY (company_id, goal_id) REFERENCES goals(company_id, id),
  constraint issues_company_id_routine_id_fkey FOREIGN KEY (company_id, routine_id) REFERENCES routines(company_id, id),
  constraint issues_status_check CHECK ((status = ANY (ARRAY['backlog'::text, 'todo'::text, 'in_progress'::text, 'in_review'::text, 'done'::text, 'blocked'::text, 'cancelled'::text]))),
  constraint issues_priority_check CHECK ((priority = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text]))),
  constraint issues_lock_has_assignee CHECK (((checkout_run_id IS NULL) OR ((status = 'in_progress'::text) AND (assignee_agent_id IS NOT NULL)))),
  constraint issues_await_gates_unlocked CHECK (((awaits_gates_since IS NULL) OR ((status = 'in_progress'::text) AND (checkout_run_id IS NULL)))),
  constraint issues_one_assignee CHECK (((assignee_agent_id IS NULL) OR (assignee_user_id IS NULL)))
);
CREATE INDEX issues_by_holder ON issues USING btree (checkout_run_id) WHERE (checkout_run_id IS NOT NULL);
CREATE INDEX issues_in_order ON issues USING btree (company_id, ((- priority_rank)), last_activity_at, id);
CREATE INDEX issues_by_status ON issues USING btree (company_id, status, ((- priority_rank)), last_activity_at, id);
CREATE INDEX issues_by_assignee ON issues USING btree (assignee_agent_id, status, ((- priority_rank)), last_activity_at, id) WHERE (assignee_agent_id IS NOT NULL);
CREATE INDEX issues_by_project ON issues USING btree (project_id, status, ((- priority_rank)), last_activity_at, id) WHERE (project_id IS NOT NULL);
CREATE INDEX issues_by_goal ON issues USING btree (goal_id, status, ((- priority_rank)), last_activity_at, id) WHERE (goal_id IS NOT NULL);
CREATE INDEX issues_by_parent ON issues USING btree (parent_id, status, ((- priority_rank)), last_activity_at, id) WHERE (parent_id IS NOT NULL);
CREATE INDEX issues_by_activity ON issues USING btree (company_id, status, last_activity_at, id);
CREATE INDEX issues_by_person ON issues USING btree (assignee_user_id, company_id, status, ((- priority_rank)), last_activity_at, id) WHERE (assignee_user_id IS NOT NULL);
-- Asked for at each firing of the routine.
CREATE INDEX issues_open_of_routine ON issues USING btree (routine_id, id DESC) WHERE ((routine_id IS NOT NULL) AND (status <> ALL (ARRAY['done'::text, 'cancelled'::text])));
CREATE INDEX issues_found ON issues USING gin (search, eras(company_id, id));
CREATE INDEX issues_by_creating_agent ON issues USING btree (created_by_agent_id, status, ((- priority_rank)), last_activity_at, id) WHERE (created_by_agent_id IS NOT NULL);
CREATE INDEX issues_by_creating_person ON issues USING btree (created_by_user_id, company_id, status, ((- priority_rank)), last_activity_at, id) WHERE (created_by_user_id IS NOT NULL);
CREATE INDEX issues_open_with_own_gates ON issues USING btree (id) WHERE (has_own_gates AND (status <> ALL (ARRAY['done'::text, 'cancelled'::text])));
CREATE INDEX issues_verified ON issues USING btree (company_id, id) WHERE (verified_at IS NOT NULL);
CREATE INDEX issues_awaiting_gates ON issues USING btree (awaits_gates_since) WHERE (awaits_gates_since IS NOT NULL);
-- Triggers, because a generated column would be rewritten with the whole table when its expression changes. `always`: also where
-- rows are copied with triggers off, as a restore does.
CREATE TRIGGER new_issues_are_indexed BEFORE INSERT ON issues FOR EACH ROW EXECUTE FUNCTION index_issue();
alter table issues enable always trigger new_issues_are_indexed;
CREATE TRIGGER changed_issues_are_indexed BEFORE UPDATE ON issues FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description))) EXECUTE FUNCTION index_issue();
alter table issues enable always trigger changed_issues_are_indexed;
-- An update is counted only where the status changes: most leave it.
CREATE TRIGGER issues_added_are_counted AFTER INSERT ON issues REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_issues_added();
CREATE TRIGGER issues_removed_are_counted AFTER DELETE ON issues REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_issues_removed();
CREATE TRIGGER issues_moved_are_counted AFTER UPDATE ON issues FOR EACH ROW WHEN (((old.company_id IS DISTINCT FROM new.company_id) OR (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION count_issue_moved();

-- Issues that must be closed before another can be checked out.
create table issue_blockers (
  company_id uuid not null,
  issue_id uuid not null,
  blocked_by_id uuid not null,
  constraint issue_blockers_pkey PRIMARY KEY (issue_id, blocked_by_id),
  constraint issue_blockers_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_blockers_company_id_blocked_by_id_fkey FOREIGN KEY (company_id, blocked_by_id) REFERENCES issues(company_id, id)
);
CREATE INDEX issue_blockers_by_blocker ON issue_blockers USING btree (blocked_by_id);

create table issue_labels (
  company_id uuid not null,
  issue_id uuid not null,
  label_id uuid not null,
  constraint issue_labels_pkey PRIMARY KEY (issue_id, label_id),
  constraint issue_labels_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_labels_company_id_label_id_fkey FOREIGN KEY (company_id, label_id) REFERENCES labels(company_id, id) ON DELETE CASCADE
);
CREATE INDEX issue_labels_by_label ON issue_labels USING btree (label_id, issue_id);

-- The people who watch an issue, and until when they have seen what happened on it.
create table issue_watchers (
  company_id uuid not null,
  issue_id uuid not null,
  user_id uuid not null,
  watching_since timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  -- by the last comment that names the person; null: never
  mentioned_at timestamptz(3),
  constraint issue_watchers_pkey PRIMARY KEY (issue_id, user_id),
  constraint issue_watchers_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint issue_watchers_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id)
);
CREATE INDEX issue_watchers_by_person ON issue_watchers USING btree (user_id, company_id);

-- Requests of runs that their issue be done, refused because gates are judged after a run's end. The service repeats each then,
-- with its comment.
create table done_requests (
  issue_id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  run_id uuid not null,
  comment text,
  created_at timestamptz(3) not null,
  constraint done_requests_pkey PRIMARY KEY (issue_id),
  constraint done_requests_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint done_requests_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint done_requests_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id)
);

-- Lists of issues that a person has named: the query of the page's address.
create table saved_views (
  id uuid not null,
  company_id uuid not null,
  user_id uuid not null,
  name text not null,
  query text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint saved_views_pkey PRIMARY KEY (id),
  constraint saved_views_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE UNIQUE INDEX saved_views_of_person ON saved_views USING btree (user_id, company_id, lower((name COLLATE "und-x-icu")) COLLATE "C");

-- How many issues of each status a company has, updated by triggers in the transaction of the change. A count is a sum of rows:
-- with one row, transactions of a company would wait for each other. Each takes a row that no other has locked, and inserts one
-- where all are locked, so that there are as many rows as there were concurrent transactions.
create table issue_counts (
  company_id uuid not null,
  status text not null,
  part integer not null generated always as identity,
  issues bigint not null,
  constraint issue_counts_pkey PRIMARY KEY (company_id, status, part),
  constraint issue_counts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
) with (fillfactor=50);

-- What people and agents write on an issue.
create table comments (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  body text not null,
  author_agent_id uuid,
  author_user_id uuid,
  created_by_run_id uuid,
  search tsvector,
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  -- the lines of the issue's changes that it is about (`CommentLocation`); null: it is about the issue
  location jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint comments_pkey PRIMARY KEY (id),
  constraint comments_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint deleted_comments_say_nothing CHECK (((deleted_at IS NULL) OR (body = ''::text)))
);
CREATE INDEX comments_by_issue ON comments USING btree (issue_id, id DESC);
CREATE INDEX comments_found ON comments USING gin (search, eras(company_id, id));
-- the newest of a company, for the search
CREATE INDEX comments_by_company ON comments USING btree (company_id, id);
CREATE INDEX comments_on_lines ON comments USING btree (issue_id, id) WHERE (location IS NOT NULL);
CREATE TRIGGER new_comments_are_indexed BEFORE INSERT ON comments FOR EACH ROW EXECUTE FUNCTION index_comment();
alter table comments enable always trigger new_comments_are_indexed;
CREATE TRIGGER changed_comments_are_indexed BEFORE UPDATE ON comments FOR EACH ROW WHEN ((old.body IS DISTINCT FROM new.body)) EXECUTE FUNCTION index_comment();
alter table comments enable always trigger changed_comments_are_indexed;

-- Earlier texts of edited comments, until the comment is deleted.
create table comment_revisions (
  id uuid not null,
  comment_id uuid not null,
  body text not null,
  replaced_at timestamptz(3) not null,
  constraint comment_revisions_pkey PRIMARY KEY (id),
  constraint comment_revisions_comment_id_fkey FOREIGN KEY (comment_id) REFERENCES comments(id)
);
CREATE INDEX comment_revisions_by_comment ON comment_revisions USING btree (comment_id, id);

-- Structured questions to the board.
create table interactions (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  kind text not null,
  status text not null,
  continuation_policy text not null,
  idempotency_key text,
  title text,
  summary text,
  payload jsonb not null,
  result jsonb,
  -- A comment of a person ends it; so does a new revision of the document.
  ends_by_comment boolean not null,
  target_document_id uuid,
  source_run_id uuid,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  resolved_by_agent_id uuid,
  resolved_by_user_id uuid,
  resolved_at timestamptz(3),
  -- The beginning of the prompt, for lists: a payload may have a mebibyte.
  prompt text generated always as ("left"((payload ->> 'prompt'::text), 300)) stored,
  outline jsonb generated always as (
CASE
    WHEN (kind = ANY (ARRAY['suggest_tasks'::text, 'request_permission'::text])) THEN outline_of(payload)
    ELSE NULL::jsonb
END) stored,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint interactions_pkey PRIMARY KEY (id),
  constraint interactions_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint interactions_kind_check CHECK ((kind = ANY (ARRAY['suggest_tasks'::text, 'ask_user_questions'::text, 'request_confirmation'::text, 'request_permission'::text]))),
  constraint interactions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text, 'answered'::text, 'expired'::text, 'cancelled'::text]))),
  constraint interactions_continuation_policy_check CHECK ((continuation_policy = ANY (ARRAY['none'::text, 'wake_assignee'::text]))),
  constraint interactions_check CHECK (((status = 'pending'::text) = (resolved_at IS NULL)))
);
CREATE INDEX interactions_by_issue ON interactions USING btree (issue_id, id DESC);
CREATE INDEX interactions_pending ON interactions USING btree (issue_id) WHERE (status = 'pending'::text);
CREATE INDEX interactions_by_target ON interactions USING btree (target_document_id) WHERE ((status = 'pending'::text) AND (target_document_id IS NOT NULL));
CREATE UNIQUE INDEX interactions_key ON interactions USING btree (issue_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
-- what waits for people
CREATE INDEX interactions_waiting ON interactions USING btree (company_id, created_at) WHERE (status = 'pending'::text);
-- those that a run waits for
CREATE INDEX interactions_pending_of_run ON interactions USING btree (source_run_id) WHERE ((status = 'pending'::text) AND (kind = 'request_permission'::text));

-- Texts of an issue under a key, with their latest revision.
create table documents (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  key text not null,
  title text,
  format text not null,
  body text not null,
  latest_revision_id uuid not null,
  latest_revision_number integer not null,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  updated_by_agent_id uuid,
  updated_by_user_id uuid,
  search tsvector,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint documents_pkey PRIMARY KEY (id),
  constraint documents_company_id_id_key UNIQUE (company_id, id),
  constraint documents_key_key UNIQUE (issue_id, key),
  constraint documents_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id)
);
CREATE INDEX documents_found ON documents USING gin (search, eras(company_id, id));
CREATE TRIGGER new_documents_are_indexed BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION index_document();
alter table documents enable always trigger new_documents_are_indexed;
CREATE TRIGGER changed_documents_are_indexed BEFORE UPDATE ON documents FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.body IS DISTINCT FROM new.body))) EXECUTE FUNCTION index_document();
alter table documents enable always trigger changed_documents_are_indexed;

-- Each stored change of a document.
create table document_revisions (
  id uuid not null,
  company_id uuid not null,
  document_id uuid not null,
  revision_number integer not null,
  title text,
  format text not null,
  body text not null,
  change_summary text,
  restored_from_revision_id uuid,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  constraint document_revisions_pkey PRIMARY KEY (id),
  constraint document_revisions_document_id_revision_number_key UNIQUE (document_id, revision_number),
  constraint document_revisions_company_id_document_id_fkey FOREIGN KEY (company_id, document_id) REFERENCES documents(company_id, id) ON DELETE CASCADE
);

-- Files of a company; their bytes are in the blob store of `provider`.
create table assets (
  id uuid not null,
  company_id uuid not null,
  -- A logo was checked to be an image, and is shown; an attachment may be anything.
  purpose text not null,
  provider text not null,
  blob_key text not null,
  content_type text not null,
  byte_size bigint not null,
  sha256 text not null,
  original_filename text,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_company_id_id_key UNIQUE (company_id, id),
  constraint assets_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint assets_purpose_check CHECK ((purpose = ANY (ARRAY['attachment'::text, 'logo'::text])))
);

-- Files in the thread of an issue.
create table attachments (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  issue_comment_id uuid,
  originating_run_id uuid,
  asset_id uuid not null,
  created_at timestamptz(3) not null,
  constraint attachments_pkey PRIMARY KEY (id),
  constraint attachments_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint attachments_company_id_asset_id_fkey FOREIGN KEY (company_id, asset_id) REFERENCES assets(company_id, id)
);
CREATE INDEX attachments_by_issue ON attachments USING btree (issue_id, id DESC);
CREATE INDEX attachments_by_asset ON attachments USING btree (asset_id);

-- Blobs that no row refers to: of an upload from its first byte until a transaction refers to it, and of a deleted file. A due
-- blob is deleted, then its row.
create table loose_blobs (
  blob_key text not null,
  due_at timestamptz(3) not null,
  constraint loose_blobs_pkey PRIMARY KEY (blob_key)
);
CREATE INDEX loose_blobs_due ON loose_blobs USING btree (due_at);

-- Heartbeats of agents, from the queue to the end of the last process.
create table runs (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  issue_id uuid,
  adapter_type text not null,
  status text not null,
  wake_reason text not null,
  invocation_source text not null,
  -- What its wakes passed on: merged payloads.
  context jsonb not null default '{}'::jsonb,
  retry_of_run_id uuid,
  -- the service that supervises it
  service_id uuid,
  stop_requested_at timestamptz(3),
  stop_reason text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  error_code text,
  error text,
  exit_code integer,
  signal text,
  last_output text,
  summary text,
  result jsonb,
  usage jsonb,
  cost_cents bigint,
  session_id_before text,
  session_id_after text,
  log_bytes bigint not null default 0,
  -- Where its processes are. Services without that scope end its row when the lease of its service ends, and touch no process.
  scope text,
  -- Quarantined by the loop breaker since then, and by which of its rules, until a person acts on the issue.
  quarantined_since timestamptz(3),
  quarantined_for text,
  -- What its program runs in: { kind, name, uid } of a process, a pod or a container.
  process jsonb,
  runner text,
  -- The machine of its program, as the engine names it, and why the program does not run yet: a sentence.
  node text,
  waits_for text,
  -- the volume of its workspace and session; null: none
  volume text,
  -- when its events and log were deleted, by the operator's settings
  details_deleted_at timestamptz(3),
  -- Facts for the loop breaker, taken from its first wake: whether only agents caused it, and when a timer, a webhook or a
  -- schedule was last among its causes.
  caused_by_agents boolean not null default false,
  triggered_at timestamptz(3),
  -- when its program first listed the service's tools
  tools_listed_at timestamptz,
  -- whether its program accepts messages, and an interrupt of its turn
  takes_messages boolean not null default false,
  takes_interrupt boolean not null default false,
  -- While it is queued: when the change that caused it can no longer be undone. Null where it may start at once.
  not_before timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint runs_pkey PRIMARY KEY (id),
  constraint runs_company_id_id_key UNIQUE (company_id, id),
  constraint runs_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint runs_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'timed_out'::text, 'cancelled'::text, 'interrupted'::text]))),
  constraint runs_quarantined_for_check CHECK ((quarantined_for = ANY (ARRAY['loop'::text, 'agents'::text])))
);
-- An agent has one live run on an issue, and one without an issue.
CREATE UNIQUE INDEX runs_one_live ON runs USING btree (agent_id, issue_id) NULLS NOT DISTINCT WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX runs_queued ON runs USING btree (created_at, id) WHERE (status = 'queued'::text);
CREATE INDEX runs_running ON runs USING btree (service_id) WHERE (status = 'running'::text);
CREATE INDEX runs_stopping ON runs USING btree (stop_requested_at) WHERE ((status = 'running'::text) AND (stop_requested_at IS NOT NULL));
CREATE INDEX runs_by_agent ON runs USING btree (agent_id, id DESC);
CREATE INDEX runs_by_issue ON runs USING btree (issue_id, id DESC) WHERE (issue_id IS NOT NULL);
CREATE INDEX runs_quarantined ON runs USING btree (quarantined_since) WHERE ((status = 'queued'::text) AND (quarantined_since IS NOT NULL));
CREATE INDEX runs_started_by_issue ON runs USING btree (issue_id, started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX runs_started_by_company ON runs USING btree (company_id, started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX runs_by_retried ON runs USING btree (retry_of_run_id) WHERE (retry_of_run_id IS NOT NULL);
CREATE INDEX runs_ended_by_issue ON runs USING btree (issue_id, finished_at DESC) WHERE ((issue_id IS NOT NULL) AND (finished_at IS NOT NULL));
CREATE INDEX runs_by_status ON runs USING btree (company_id, status, id);
CREATE INDEX runs_failed ON runs USING btree (company_id, finished_at) WHERE (status = ANY (ARRAY['failed'::text, 'timed_out'::text, 'interrupted'::text]));
CREATE INDEX runs_without_issue ON runs USING btree (agent_id, id DESC) WHERE (issue_id IS NULL);
CREATE INDEX runs_cut_off ON runs USING btree (company_id, agent_id) WHERE (stop_reason = ANY (ARRAY['agent_paused'::text, 'company_paused'::text, 'company_archived'::text, 'budget_exhausted'::text, 'project_budget_exhausted'::text]));
CREATE INDEX runs_by_time ON runs USING btree (company_id, created_at);
CREATE INDEX runs_by_error ON runs USING btree (company_id, error_code, id) WHERE (error_code IS NOT NULL);
CREATE INDEX runs_with_details ON runs USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND (details_deleted_at IS NULL));
CREATE INDEX runs_started_without_issue ON runs USING btree (agent_id, started_at) WHERE ((issue_id IS NULL) AND (started_at IS NOT NULL));
CREATE INDEX runs_caused_by_agents ON runs USING btree (agent_id, started_at) WHERE (caused_by_agents AND (started_at IS NOT NULL));
CREATE INDEX runs_queued_by_issue ON runs USING btree (issue_id) WHERE ((status = 'queued'::text) AND (issue_id IS NOT NULL));

-- Requests that an agent run, each stored with its cause.
create table wakes (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  issue_id uuid,
  reason text not null,
  source text not null,
  status text not null,
  end_reason text,
  run_id uuid,
  payload jsonb not null default '{}'::jsonb,
  by_kind text not null,
  by_id uuid,
  ended_at timestamptz(3),
  caused_by_agents boolean not null default false,
  triggered_at timestamptz(3),
  -- when its cause can no longer be undone
  not_before timestamptz(3),
  -- the span of the work that made it, as W3C Trace Context writes it
  traceparent text,
  created_at timestamptz(3) not null,
  constraint wakes_pkey PRIMARY KEY (id),
  constraint wakes_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint wakes_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'started'::text, 'coalesced'::text, 'skipped'::text, 'cancelled'::text]))),
  constraint wakes_by_kind_check CHECK ((by_kind = ANY (ARRAY['board'::text, 'agent'::text, 'system'::text]))),
  constraint wakes_check CHECK (((status = 'pending'::text) = (ended_at IS NULL)))
);
CREATE INDEX wakes_pending ON wakes USING btree (agent_id, issue_id) WHERE (status = 'pending'::text);
CREATE INDEX wakes_pending_by_age ON wakes USING btree (created_at) WHERE (status = 'pending'::text);
CREATE INDEX wakes_by_run ON wakes USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX wakes_cut_off ON wakes USING btree (company_id, agent_id) WHERE (end_reason = ANY (ARRAY['agent_paused'::text, 'company_paused'::text, 'company_archived'::text, 'company_not_active'::text, 'budget_exhausted'::text, 'project_budget_exhausted'::text]));
-- Deleted when they are old. Those that a hold cut off are needed until it is lifted.
CREATE INDEX wakes_ended_alone ON wakes USING btree (ended_at) WHERE ((run_id IS NULL) AND (end_reason <> ALL (ARRAY['agent_paused'::text, 'company_paused'::text, 'company_archived'::text, 'company_not_active'::text, 'budget_exhausted'::text, 'project_budget_exhausted'::text])));
CREATE INDEX wakes_by_people_on_issue ON wakes USING btree (issue_id, created_at) WHERE ((by_kind = 'board'::text) AND (issue_id IS NOT NULL));
CREATE INDEX wakes_by_people_for_agent ON wakes USING btree (agent_id, created_at) WHERE ((by_kind = 'board'::text) AND (issue_id IS NULL));

-- The numbered events of a run.
create table run_events (
  company_id uuid not null,
  run_id uuid not null,
  seq integer not null,
  type text not null,
  level text not null default 'info'::text,
  message text,
  payload jsonb not null default '{}'::jsonb,
  position bigint not null default nextval('stream_positions'::regclass),
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  constraint run_events_pkey PRIMARY KEY (run_id, seq)
);
CREATE INDEX run_events_in_stream ON run_events USING btree (company_id, xid, "position");

-- The log of a run: segments end at a line end; `byte_offset` and `bytes` count the stored text.
create table run_log_segments (
  company_id uuid not null,
  run_id uuid not null,
  byte_offset bigint not null,
  bytes integer not null,
  blob_key text not null,
  position bigint not null default nextval('stream_positions'::regclass),
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  constraint run_log_segments_pkey PRIMARY KEY (run_id, byte_offset)
);
CREATE INDEX run_log_segments_in_stream ON run_log_segments USING btree (company_id, xid, "position");

-- The last event of each company that was deleted: a reader that continues before it has missed events.
create table deleted_events (
  company_id uuid not null,
  xid xid8 not null,
  position bigint not null,
  constraint deleted_events_pkey PRIMARY KEY (company_id),
  constraint deleted_events_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- What an adapter needs to continue where the last run of a task ended.
create table task_sessions (
  company_id uuid not null,
  agent_id uuid not null,
  adapter_type text not null,
  task_key text not null,
  params jsonb not null,
  display_id text,
  last_run_id uuid not null,
  -- the volume with its files; empty: it has none
  volume text,
  updated_at timestamptz(3) not null,
  constraint task_sessions_pkey PRIMARY KEY (agent_id, adapter_type, task_key),
  constraint task_sessions_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id)
);

-- Messages of people to a run while it works.
create table run_messages (
  id uuid not null,
  company_id uuid not null,
  run_id uuid not null,
  agent_id uuid not null,
  issue_id uuid,
  -- the text; null: that of the comment
  body text,
  comment_id uuid,
  author_user_id uuid,
  state text not null,
  -- when the service gave it to the run's adapter
  sent_at timestamptz(3),
  -- when the run's program, or the next run, received it
  delivered_at timestamptz(3),
  -- the run that has it in its prompt
  next_run_id uuid,
  created_at timestamptz(3) not null,
  constraint run_messages_pkey PRIMARY KEY (id),
  constraint run_messages_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_messages_comment_id_fkey FOREIGN KEY (comment_id) REFERENCES comments(id),
  constraint run_messages_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES board_users(id),
  constraint run_messages_company_id_run_id_fkey FOREIGN KEY (company_id, run_id) REFERENCES runs(company_id, id),
  constraint run_messages_company_id_next_run_id_fkey FOREIGN KEY (company_id, next_run_id) REFERENCES runs(company_id, id),
  constraint run_messages_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint run_messages_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint run_messages_state_check CHECK ((state = ANY (ARRAY['sent'::text, 'queued'::text, 'injected'::text, 'new_run'::text]))),
  constraint run_messages_check CHECK (((body IS NULL) = (comment_id IS NOT NULL)))
);
CREATE INDEX run_messages_by_run ON run_messages USING btree (run_id, id);
-- those for the next run of the agent and issue
CREATE INDEX run_messages_left ON run_messages USING btree (agent_id, issue_id) WHERE (state = 'new_run'::text);
CREATE INDEX run_messages_by_next_run ON run_messages USING btree (next_run_id) WHERE (next_run_id IS NOT NULL);

-- Reports of usage.
create table cost_events (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  issue_id uuid,
  project_id uuid,
  run_id uuid,
  provider text not null,
  model text not null,
  billing_type text not null default 'unknown'::text,
  cost_status text not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  cost_cents numeric(30,6) not null,
  occurred_at timestamptz(3) not null,
  source text not null,
  event_id text,
  created_at timestamptz(3) not null,
  constraint cost_events_pkey PRIMARY KEY (id),
  constraint cost_events_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint cost_events_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint cost_events_company_id_project_id_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id),
  constraint cost_events_company_id_run_id_fkey FOREIGN KEY (company_id, run_id) REFERENCES runs(company_id, id),
  constraint cost_events_cost_status_check CHECK ((cost_status = ANY (ARRAY['reported'::text, 'priced'::text, 'unknown'::text]))),
  constraint cost_events_source_check CHECK ((source = ANY (ARRAY['adapter'::text, 'api'::text])))
);
-- The adapter's report of a run is one event, updated while the run works.
CREATE UNIQUE INDEX cost_events_of_run ON cost_events USING btree (run_id) WHERE (source = 'adapter'::text);
CREATE UNIQUE INDEX cost_events_event_id_key ON cost_events USING btree (agent_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX cost_events_by_agent ON cost_events USING btree (agent_id, occurred_at, id) INCLUDE (cost_cents);
CREATE INDEX cost_events_by_company ON cost_events USING btree (company_id, occurred_at, id) INCLUDE (cost_cents);
CREATE INDEX cost_events_by_run ON cost_events USING btree (run_id, occurred_at) INCLUDE (cost_cents) WHERE (run_id IS NOT NULL);

-- The sums of a day (UTC): of the company, and of each agent, project and model. What a scope does not distinguish is null.
create table cost_days (
  company_id uuid not null,
  scope text not null,
  day date not null,
  agent_id uuid,
  project_id uuid,
  provider text,
  model text,
  billing_type text,
  -- hash of these three, which are too long for an index
  model_hash bytea,
  cost_cents numeric(30,6) not null,
  priced_cents numeric(30,6) not null,
  -- tokens of a day may be more than a bigint holds
  input_tokens numeric(30,0) not null,
  cached_input_tokens numeric(30,0) not null,
  output_tokens numeric(30,0) not null,
  event_count bigint not null,
  unknown_event_count bigint not null,
  unknown_tokens numeric(30,0) not null,
  constraint cost_days_key UNIQUE NULLS NOT DISTINCT (company_id, scope, day, agent_id, project_id, model_hash),
  constraint cost_days_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint cost_days_scope_check CHECK ((scope = ANY (ARRAY['company'::text, 'agent'::text, 'project'::text, 'model'::text])))
) with (fillfactor=70);
CREATE INDEX cost_days_by_agent ON cost_days USING btree (agent_id, day) WHERE (agent_id IS NOT NULL);

-- How many runs of an agent had costs on a day, by the previous day on which they had any; -infinity: none. The runs of a
-- period are those of its days whose previous day lies before it: each run counts once.
create table cost_run_days (
  company_id uuid not null,
  agent_id uuid not null,
  day date not null,
  previous_day date not null,
  runs bigint not null,
  constraint cost_run_days_pkey PRIMARY KEY (company_id, day, previous_day, agent_id),
  constraint cost_run_days_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
) with (fillfactor=70);

-- The sums of an issue in a calendar month (UTC); null: of costs without an issue.
create table cost_issue_months (
  company_id uuid not null,
  month date not null,
  issue_id uuid,
  cost_cents numeric(30,6) not null,
  priced_cents numeric(30,6) not null,
  input_tokens numeric(30,0) not null,
  cached_input_tokens numeric(30,0) not null,
  output_tokens numeric(30,0) not null,
  event_count bigint not null,
  unknown_event_count bigint not null,
  unknown_tokens numeric(30,0) not null,
  run_count bigint not null,
  constraint cost_issue_months_key UNIQUE NULLS NOT DISTINCT (company_id, month, issue_id),
  constraint cost_issue_months_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX cost_issue_months_in_order ON cost_issue_months USING btree (company_id, month, floor(cost_cents) DESC, issue_id);

-- Until when (UTC, the beginning of a month) events of a company may have been folded.
create table cost_folds (
  company_id uuid not null,
  before timestamptz(3) not null,
  constraint cost_folds_pkey PRIMARY KEY (company_id),
  constraint cost_folds_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- The sums of the folded events of an issue (null: of none) on a day (UTC), by the previous day on which their runs had costs
-- on that issue; -infinity: none. The runs of a period are those whose previous day lies before it.
create table cost_issue_days (
  company_id uuid not null,
  day date not null,
  issue_id uuid,
  previous_day date not null,
  cost_cents numeric(30,6) not null,
  priced_cents numeric(30,6) not null,
  input_tokens numeric(30,0) not null,
  cached_input_tokens numeric(30,0) not null,
  output_tokens numeric(30,0) not null,
  event_count bigint not null,
  unknown_event_count bigint not null,
  unknown_tokens numeric(30,0) not null,
  run_count bigint not null,
  constraint cost_issue_days_key UNIQUE NULLS NOT DISTINCT (company_id, day, issue_id, previous_day),
  constraint cost_issue_days_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- The spending of a company, an agent or a project in a calendar month (UTC), updated in the transaction of each cost event.
create table budget_months (
  company_id uuid not null,
  scope_id uuid not null,
  month timestamptz(3) not null,
  spent_cents numeric(30,6) not null,
  alerted_at timestamptz(3),
  alerted_budget_cents bigint,
  constraint budget_months_pkey PRIMARY KEY (scope_id, month),
  constraint budget_months_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);
CREATE INDEX budget_months_by_company ON budget_months USING btree (company_id);

-- Questions to the board: a hire, a strategy, an ownership decision.
create table approvals (
  id uuid not null,
  company_id uuid not null,
  type text not null,
  status text not null,
  payload jsonb not null,
  -- the draft that is hired, or the agent that the approval created
  agent_id uuid,
  requested_by_agent_id uuid,
  requested_by_user_id uuid,
  decision_note text,
  chosen_owner text,
  off_list_reason text,
  decided_by_agent_id uuid,
  decided_by_user_id uuid,
  decided_at timestamptz(3),
  -- Which payload a decision is about: the first is 1, and each resubmit adds 1.
  payload_revision integer not null default 1,
  -- Variables of a hire whose values an agent wrote, which are shown to the people who decide.
  proposed_variables text[] not null default '{}'::text[],
  granted_paths jsonb not null default '[]'::jsonb,
  -- What a list shows: a payload may have a mebibyte.
  title text generated always as ("left"(COALESCE((payload ->> 'name'::text), (payload ->> 'subject'::text), (payload ->> 'title'::text), type), 300)) stored,
  outline jsonb generated always as (
CASE
    WHEN (type = 'hire_agent'::text) THEN outline_of(payload)
    ELSE NULL::jsonb
END) stored,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint approvals_pkey PRIMARY KEY (id),
  constraint approvals_company_id_id_key UNIQUE (company_id, id),
  constraint approvals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint approvals_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES board_users(id),
  constraint approvals_decided_by_user_id_fkey FOREIGN KEY (decided_by_user_id) REFERENCES board_users(id),
  constraint approvals_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint approvals_company_id_requested_by_agent_id_fkey FOREIGN KEY (company_id, requested_by_agent_id) REFERENCES agents(company_id, id),
  constraint approvals_company_id_decided_by_agent_id_fkey FOREIGN KEY (company_id, decided_by_agent_id) REFERENCES agents(company_id, id),
  constraint approvals_type_check CHECK ((type = ANY (ARRAY['approve_ceo_strategy'::text, 'hire_agent'::text, 'ownership_decision'::text]))),
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'revision_requested'::text]))),
  constraint approvals_check CHECK (((decided_by_agent_id IS NULL) OR (decided_by_user_id IS NULL)))
);
CREATE INDEX approvals_by_status ON approvals USING btree (company_id, status, id DESC);
CREATE UNIQUE INDEX approvals_open_hire ON approvals USING btree (agent_id) WHERE (status = ANY (ARRAY['pending'::text, 'revision_requested'::text]));
CREATE INDEX approvals_by_type ON approvals USING btree (company_id, type, id);

-- Payloads of an approval before it was resubmitted, with their decisions.
create table approval_rounds (
  company_id uuid not null,
  approval_id uuid not null,
  payload_revision integer not null,
  payload jsonb not null,
  status text not null,
  decision_note text,
  decided_by_agent_id uuid,
  decided_by_user_id uuid,
  decided_at timestamptz(3),
  constraint approval_rounds_pkey PRIMARY KEY (approval_id, payload_revision),
  constraint approval_rounds_decided_by_user_id_fkey FOREIGN KEY (decided_by_user_id) REFERENCES board_users(id),
  constraint approval_rounds_company_id_approval_id_fkey FOREIGN KEY (company_id, approval_id) REFERENCES approvals(company_id, id)
);

create table approval_issues (
  company_id uuid not null,
  approval_id uuid not null,
  issue_id uuid not null,
  position bigint not null generated always as identity,
  created_at timestamptz(3) not null,
  constraint approval_issues_pkey PRIMARY KEY (approval_id, issue_id),
  constraint approval_issues_company_id_approval_id_fkey FOREIGN KEY (company_id, approval_id) REFERENCES approvals(company_id, id),
  constraint approval_issues_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id)
);
CREATE INDEX approval_issues_by_issue ON approval_issues USING btree (issue_id, approval_id DESC);

create table approval_comments (
  id uuid not null,
  company_id uuid not null,
  approval_id uuid not null,
  body text not null,
  author_agent_id uuid,
  author_user_id uuid,
  created_at timestamptz(3) not null,
  constraint approval_comments_pkey PRIMARY KEY (id),
  constraint approval_comments_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES board_users(id),
  constraint approval_comments_company_id_approval_id_fkey FOREIGN KEY (company_id, approval_id) REFERENCES approvals(company_id, id),
  constraint approval_comments_company_id_author_agent_id_fkey FOREIGN KEY (company_id, author_agent_id) REFERENCES agents(company_id, id)
);
CREATE INDEX approval_comments_by_approval ON approval_comments USING btree (approval_id, id);

-- What a board owner lets an agent decide or do.
create table grants (
  id uuid not null,
  company_id uuid not null,
  agent_id uuid not null,
  permission text not null,
  -- Classes of decision, or repositories of `code:merge`; `all`.
  classes text[] not null,
  granted_by_user_id uuid not null,
  revoked_by_user_id uuid,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint grants_pkey PRIMARY KEY (id),
  constraint grants_granted_by_user_id_fkey FOREIGN KEY (granted_by_user_id) REFERENCES board_users(id),
  constraint grants_revoked_by_user_id_fkey FOREIGN KEY (revoked_by_user_id) REFERENCES board_users(id),
  constraint grants_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint grants_permission_check CHECK ((permission = ANY (ARRAY['agents:hire'::text, 'strategy:decide'::text, 'ownership:decide'::text, 'code:merge'::text])))
);
CREATE INDEX grants_by_company ON grants USING btree (company_id, id DESC);
CREATE INDEX grants_by_agent ON grants USING btree (agent_id) WHERE (revoked_at IS NULL);

-- Recurring tasks: each firing creates an issue for the assignee.
create table routines (
  id uuid not null,
  company_id uuid not null,
  title text not null,
  description text,
  assignee_agent_id uuid not null,
  project_id uuid not null,
  goal_id uuid,
  parent_issue_id uuid,
  priority text not null,
  status text not null,
  concurrency_policy text not null,
  catch_up_policy text not null,
  latest_revision_id uuid not null,
  latest_revision_number integer not null,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint routines_pkey PRIMARY KEY (id),
  constraint routines_company_id_id_key UNIQUE (company_id, id),
  constraint routines_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint routines_company_id_assignee_agent_id_fkey FOREIGN KEY (company_id, assignee_agent_id) REFERENCES agents(company_id, id),
  constraint routines_company_id_project_id_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id),
  constraint routines_company_id_goal_id_fkey FOREIGN KEY (company_id, goal_id) REFERENCES goals(company_id, id),
  constraint routines_company_id_parent_issue_id_fkey FOREIGN KEY (company_id, parent_issue_id) REFERENCES issues(company_id, id),
  constraint routines_priority_check CHECK ((priority = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text]))),
  constraint routines_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'archived'::text]))),
  constraint routines_concurrency_policy_check CHECK ((concurrency_policy = ANY (ARRAY['coalesce_if_active'::text, 'skip_if_active'::text, 'always_enqueue'::text]))),
  constraint routines_catch_up_policy_check CHECK ((catch_up_policy = ANY (ARRAY['skip_missed'::text, 'enqueue_missed_with_cap'::text])))
);
CREATE INDEX routines_in_order ON routines USING btree (company_id, updated_at DESC, id DESC);

-- Only inserted.
create table routine_revisions (
  id uuid not null,
  company_id uuid not null,
  routine_id uuid not null,
  revision_number integer not null,
  change_summary text not null,
  snapshot jsonb not null,
  restored_from_revision_id uuid,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_by_run_id uuid,
  created_at timestamptz(3) not null,
  constraint routine_revisions_pkey PRIMARY KEY (id),
  constraint routine_revisions_routine_id_revision_number_key UNIQUE (routine_id, revision_number),
  constraint routine_revisions_company_id_routine_id_fkey FOREIGN KEY (company_id, routine_id) REFERENCES routines(company_id, id)
);

-- What fires a routine: a schedule, a webhook or an API call.
create table routine_triggers (
  id uuid not null,
  company_id uuid not null,
  routine_id uuid not null,
  kind text not null,
  label text,
  enabled boolean not null,
  cron_expression text,
  timezone text,
  -- the earliest tick that has not been fired; null while the trigger must not fire by itself
  next_fire_at timestamptz(3),
  last_fired_at timestamptz(3),
  public_id text,
  signing_mode text,
  replay_window_sec integer,
  sealed_secret bytea,
  secret_version integer not null default 0,
  last_rotated_at timestamptz(3),
  -- Its row stays for its runs, and because a revision may restore it.
  deleted_at timestamptz(3),
  -- When `next_fire_at` was calculated. A time in the future shows that the clock was set back since, and the tick may be too
  -- late.
  scheduled_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint routine_triggers_pkey PRIMARY KEY (id),
  constraint routine_triggers_public_id_key UNIQUE (public_id),
  constraint routine_triggers_company_id_id_key UNIQUE (company_id, id),
  constraint routine_triggers_company_id_routine_id_fkey FOREIGN KEY (company_id, routine_id) REFERENCES routines(company_id, id),
  constraint routine_triggers_kind_check CHECK ((kind = ANY (ARRAY['schedule'::text, 'webhook'::text, 'api'::text]))),
  constraint routine_triggers_signing_mode_check CHECK ((signing_mode = ANY (ARRAY['bearer'::text, 'hmac_sha256'::text, 'github_sha256'::text, 'standard_webhooks'::text, 'gitlab_token'::text, 'stripe'::text]))),
  constraint routine_triggers_check CHECK (((kind = 'schedule'::text) = (cron_expression IS NOT NULL))),
  constraint routine_triggers_check1 CHECK (((kind = 'schedule'::text) = (timezone IS NOT NULL))),
  constraint routine_triggers_check2 CHECK (((kind = 'webhook'::text) = (public_id IS NOT NULL))),
  constraint routine_triggers_check3 CHECK (((kind = 'webhook'::text) OR (sealed_secret IS NULL))),
  constraint routine_triggers_check4 CHECK (((next_fire_at IS NULL) OR ((kind = 'schedule'::text) AND enabled AND (deleted_at IS NULL))))
);
CREATE INDEX routine_triggers_by_routine ON routine_triggers USING btree (routine_id, id);
CREATE INDEX routine_triggers_due ON routine_triggers USING btree (next_fire_at) WHERE (next_fire_at IS NOT NULL);
CREATE INDEX routine_triggers_next ON routine_triggers USING btree (company_id, next_fire_at, id) WHERE (next_fire_at IS NOT NULL);
CREATE INDEX routine_triggers_by_clock ON routine_triggers USING btree (scheduled_at) WHERE (next_fire_at IS NOT NULL);
CREATE TRIGGER routine_triggers_announced AFTER INSERT ON routine_triggers FOR EACH ROW WHEN ((new.next_fire_at IS NOT NULL)) EXECUTE FUNCTION announce_schedule();
CREATE TRIGGER routine_triggers_moved AFTER UPDATE OF next_fire_at ON routine_triggers FOR EACH ROW WHEN (((new.next_fire_at IS NOT NULL) AND ((old.next_fire_at IS NULL) OR (new.next_fire_at < old.next_fire_at)))) EXECUTE FUNCTION announce_schedule();

-- Firings. Whether one was completed in the end is derived from its issue.
create table routine_runs (
  id uuid not null,
  company_id uuid not null,
  routine_id uuid not null,
  trigger_id uuid,
  source text not null,
  status text not null,
  -- the tick of a schedule
  scheduled_for timestamptz(3),
  triggered_at timestamptz(3) not null,
  idempotency_key text,
  -- Hash of a signed request: the same again is a replay.
  replay_key bytea,
  trigger_payload jsonb,
  routine_revision_id uuid not null,
  linked_issue_id uuid,
  coalesced_into_run_id uuid,
  failure_reason text,
  created_at timestamptz(3) not null,
  constraint routine_runs_pkey PRIMARY KEY (id),
  constraint routine_runs_company_id_routine_id_fkey FOREIGN KEY (company_id, routine_id) REFERENCES routines(company_id, id),
  constraint routine_runs_company_id_trigger_id_fkey FOREIGN KEY (company_id, trigger_id) REFERENCES routine_triggers(company_id, id),
  constraint routine_runs_company_id_linked_issue_id_fkey FOREIGN KEY (company_id, linked_issue_id) REFERENCES issues(company_id, id),
  constraint routine_runs_source_check CHECK ((source = ANY (ARRAY['schedule'::text, 'manual'::text, 'api'::text, 'webhook'::text]))),
  constraint routine_runs_status_check CHECK ((status = ANY (ARRAY['issue_created'::text, 'failed'::text, 'coalesced'::text, 'skipped'::text]))),
  constraint routine_runs_check CHECK (((source = 'schedule'::text) = (scheduled_for IS NOT NULL)))
);
-- Each tick fires once, even if clocks are set back or services restart.
CREATE UNIQUE INDEX routine_runs_tick_key ON routine_runs USING btree (trigger_id, scheduled_for) WHERE (scheduled_for IS NOT NULL);
CREATE UNIQUE INDEX routine_runs_idempotency_key ON routine_runs USING btree (routine_id, source, trigger_id, idempotency_key) NULLS NOT DISTINCT WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX routine_runs_replay_key ON routine_runs USING btree (trigger_id, replay_key) WHERE (replay_key IS NOT NULL);
CREATE INDEX routine_runs_by_routine ON routine_runs USING btree (routine_id, id DESC);
CREATE INDEX routine_runs_by_issue ON routine_runs USING btree (linked_issue_id, id) WHERE (linked_issue_id IS NOT NULL);
-- the latest results of a routine
CREATE INDEX routine_runs_by_result ON routine_runs USING btree (routine_id, id DESC) WHERE (status = ANY (ARRAY['issue_created'::text, 'failed'::text]));
CREATE INDEX routine_runs_with_payload ON routine_runs USING btree (id) WHERE (trigger_payload IS NOT NULL);

-- A key for the secret values of each company, and one (company null) from which the service derives its own keys; encrypted
-- with the master key whose fingerprint is `wrapped_by`.
create table data_keys (
  company_id uuid,
  wrapped bytea not null,
  wrapped_by text not null,
  created_at timestamptz(3) not null,
  constraint data_keys_company_key UNIQUE NULLS NOT DISTINCT (company_id),
  constraint data_keys_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- Configurations of secret providers.
create table vaults (
  id uuid not null,
  company_id uuid not null,
  provider text not null,
  display_name text not null,
  status text not null,
  is_default boolean not null default false,
  config jsonb not null default '{}'::jsonb,
  health_status text,
  health_checked_at timestamptz(3),
  health_message text,
  health_details jsonb,
  disabled_at timestamptz(3),
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint vaults_pkey PRIMARY KEY (id),
  constraint vaults_company_id_id_key UNIQUE (company_id, id),
  constraint vaults_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint vaults_provider_check CHECK ((provider = ANY (ARRAY['local_encrypted'::text, 'cloud_a_secrets_manager'::text, 'cloud_b_secret_manager'::text, 'external_vault'::text]))),
  constraint vaults_status_check CHECK ((status = ANY (ARRAY['ready'::text, 'warning'::text, 'error'::text, 'coming_soon'::text, 'disabled'::text]))),
  constraint vaults_check CHECK (((NOT is_default) OR (status <> ALL (ARRAY['coming_soon'::text, 'disabled'::text]))))
);
CREATE UNIQUE INDEX vaults_one_default ON vaults USING btree (company_id, provider) WHERE is_default;

-- Named values of a company, stored by a provider.
create table secrets (
  id uuid not null,
  company_id uuid not null,
  key text not null,
  name text not null,
  description text,
  provider text not null,
  vault_id uuid,
  managed_mode text not null,
  status text not null,
  -- as it was entered, and in canonical form
  external_ref text,
  canonical_ref text,
  provider_metadata jsonb,
  latest_version integer not null,
  last_resolved_at timestamptz(3),
  last_rotated_at timestamptz(3),
  created_by_agent_id uuid,
  created_by_user_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint secrets_pkey PRIMARY KEY (id),
  constraint secrets_company_id_id_key UNIQUE (company_id, id),
  constraint secrets_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint secrets_company_id_vault_id_fkey FOREIGN KEY (company_id, vault_id) REFERENCES vaults(company_id, id),
  constraint secrets_managed_mode_check CHECK ((managed_mode = ANY (ARRAY['service_managed'::text, 'external_reference'::text]))),
  constraint secrets_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint secrets_latest_version_check CHECK ((latest_version > 0)),
  constraint secrets_check CHECK (((managed_mode = 'external_reference'::text) = (external_ref IS NOT NULL))),
  constraint secrets_check1 CHECK (((external_ref IS NULL) = (canonical_ref IS NULL)))
);
CREATE UNIQUE INDEX secrets_key_key ON secrets USING btree (company_id, key);
CREATE UNIQUE INDEX secrets_name_key ON secrets USING btree (company_id, lower((name COLLATE "und-x-icu")) COLLATE "C");
CREATE UNIQUE INDEX secrets_reference_key ON secrets USING btree (company_id, provider, vault_id, canonical_ref) NULLS NOT DISTINCT WHERE (canonical_ref IS NOT NULL);

-- The values of a secret: ciphertext, or a reference to a value at its provider.
create table secret_versions (
  id uuid not null,
  secret_id uuid not null,
  company_id uuid not null,
  version integer not null,
  vault_id uuid,
  sealed bytea,
  external_ref text,
  provider_version_ref text,
  -- hash of a reference, never of a value
  fingerprint text,
  -- The value has too few characters to be masked in the output of runs; null: it was not read yet.
  is_short boolean,
  created_by_agent_id uuid,
  created_by_user_id uuid,
  -- No run gets it since then.
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint secret_versions_pkey PRIMARY KEY (secret_id, version),
  constraint secret_versions_id_key UNIQUE (id),
  constraint secret_versions_company_id_secret_id_fkey FOREIGN KEY (company_id, secret_id) REFERENCES secrets(company_id, id),
  constraint secret_versions_company_id_vault_id_fkey FOREIGN KEY (company_id, vault_id) REFERENCES vaults(company_id, id),
  constraint secret_versions_check CHECK (((sealed IS NULL) <> (external_ref IS NULL)))
);
CREATE INDEX secret_versions_by_reference ON secret_versions USING btree (external_ref) WHERE (external_ref IS NOT NULL);

-- The secrets that an agent's configuration refers to, written with each change of it.
create table secret_bindings (
  agent_id uuid not null,
  config_path text not null,
  company_id uuid not null,
  secret_id uuid not null,
  -- null: the latest
  version integer,
  constraint secret_bindings_pkey PRIMARY KEY (agent_id, config_path),
  constraint secret_bindings_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint secret_bindings_company_id_secret_id_fkey FOREIGN KEY (company_id, secret_id) REFERENCES secrets(company_id, id)
);
CREATE INDEX secret_bindings_by_secret ON secret_bindings USING btree (secret_id, agent_id);

-- Each reading of a value for a run.
create table secret_access_events (
  id uuid not null,
  company_id uuid not null,
  secret_id uuid not null,
  version integer,
  provider text not null,
  agent_id uuid not null,
  config_path text not null,
  issue_id uuid,
  run_id uuid not null,
  outcome text not null,
  error_code text,
  created_at timestamptz(3) not null,
  constraint secret_access_events_pkey PRIMARY KEY (id),
  constraint secret_access_events_company_id_secret_id_fkey FOREIGN KEY (company_id, secret_id) REFERENCES secrets(company_id, id),
  constraint secret_access_events_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'failure'::text])))
);
CREATE INDEX secret_access_events_by_secret ON secret_access_events USING btree (secret_id, id DESC);

-- Servers of the Model Context Protocol whose tools a company gives to its agents' programs.
create table mcp_servers (
  id uuid not null,
  company_id uuid not null,
  name text not null,
  url text,
  command text,
  args text[] not null default '{}'::text[],
  -- by name: text, or a reference to a secret
  headers jsonb not null default '{}'::jsonb,
  env jsonb not null default '{}'::jsonb,
  allow_private_host boolean not null default false,
  -- the agents that get it
  all_agents boolean not null default false,
  agent_ids uuid[] not null default '{}'::uuid[],
  roles text[] not null default '{}'::text[],
  -- as it listed them when it was tested
  tools jsonb,
  tested_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint mcp_servers_pkey PRIMARY KEY (id),
  constraint mcp_servers_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint mcp_servers_check CHECK (((url IS NULL) <> (command IS NULL)))
);
CREATE UNIQUE INDEX mcp_servers_name_key ON mcp_servers USING btree (company_id, name);

-- Git repositories of projects. The service has two stores of each on its disk; agents never get the credential.
create table repositories (
  id uuid not null,
  company_id uuid not null,
  project_id uuid not null,
  -- http or https, without a user part
  url text not null,
  default_branch text not null,
  credential_secret_id uuid,
  -- its folder in a workspace; null: the workspace itself
  directory text,
  mode text not null,
  allow_private_host boolean not null default false,
  checked_at timestamptz(3) not null,
  -- what was wrong with the host then: a sentence
  problem text,
  removed_at timestamptz(3),
  -- null: without pull requests
  host_kind text,
  -- the address of its API; null: the usual one of its kind
  host_api_url text,
  -- Merging a pull request at the host makes its issue done.
  closes_issues boolean not null default false,
  webhook_secret_id uuid,
  -- the folders that are checked out; null: all
  sparse_folders text[],
  -- shell commands: once in a new workspace, before each run, and before the workspace is removed
  setup_command text,
  run_command text,
  archive_command text,
  -- the limit of each
  command_timeout_sec integer not null default 600,
  -- the author of the service's commits, and the branches of pull requests; null: the default
  author_name text,
  author_email text,
  branch_pattern text,
  -- the size of its stores when they were last packed; null: not measured yet
  store_bytes bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint repositories_pkey PRIMARY KEY (id),
  constraint repositories_company_id_id_key UNIQUE (company_id, id),
  constraint repositories_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint repositories_webhook_secret_id_fkey FOREIGN KEY (webhook_secret_id) REFERENCES secrets(id) ON DELETE SET NULL,
  constraint repositories_company_id_project_id_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id),
  constraint repositories_company_id_credential_secret_id_fkey FOREIGN KEY (company_id, credential_secret_id) REFERENCES secrets(company_id, id) ON DELETE SET NULL (credential_secret_id),
  constraint repositories_mode_check CHECK ((mode = ANY (ARRAY['issue'::text, 'shared'::text]))),
  constraint repositories_host_kind_check CHECK ((host_kind = ANY (ARRAY['github'::text, 'gitlab'::text, 'gitea'::text, 'forgejo'::text])))
);
CREATE INDEX repositories_by_project ON repositories USING btree (project_id, id) WHERE (removed_at IS NULL);
CREATE INDEX repositories_by_secret ON repositories USING btree (credential_secret_id) WHERE (credential_secret_id IS NOT NULL);
CREATE INDEX repositories_by_webhook_secret ON repositories USING btree (webhook_secret_id) WHERE (webhook_secret_id IS NOT NULL);

-- The work of an issue in a repository. A workspace is a copy of it.
create table issue_branches (
  issue_id uuid not null,
  repository_id uuid not null,
  company_id uuid not null,
  -- boardroom/ABC-1
  branch text not null,
  -- where it began: the default branch, or the branch of the parent issue
  base_branch text not null,
  base_commit text not null,
  -- the head after the last run of its assignee; null: none yet
  head text,
  -- the run whose captured work is the newest
  captured_run_id uuid,
  published_at timestamptz(3),
  merged_at timestamptz(3),
  merge_commit text,
  abandoned_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint issue_branches_pkey PRIMARY KEY (issue_id, repository_id),
  constraint issue_branches_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint issue_branches_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_branches_company_id_repository_id_fkey FOREIGN KEY (company_id, repository_id) REFERENCES repositories(company_id, id)
);
CREATE INDEX issue_branches_by_repository ON issue_branches USING btree (repository_id);

-- Workspaces of issues on volumes. A folder is a copy: the work of runs is in the service's stores, and described in run_works.
create table issue_workspaces (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  volume text not null,
  -- null: the workspace of the assignee, whose work is published; otherwise that of a second agent on the issue
  agent_id uuid,
  -- the run that uses it, or used it last: while it is live no other run gets the workspace
  run_id uuid not null,
  -- the run whose captured work the files are, or started from; null: the base of the branch
  state_run_id uuid,
  -- a run that may have written to it, and whose work is not captured yet
  uncaptured_run_id uuid,
  -- why not: a sentence
  problem text,
  -- [{ "repositoryId", "directory" }]
  clones jsonb not null,
  -- null: there is no folder with files
  made_at timestamptz(3),
  used_at timestamptz(3) not null,
  -- when the service last tried to capture its work
  tried_at timestamptz(3),
  -- the name of its folder in the trash, which it is moved to; null: it stays, or was moved
  removal_id uuid,
  -- the first of its ports; null: it has none
  first_port integer,
  -- the size of its folder after its last run; null: not known
  bytes bigint,
  created_at timestamptz(3) not null,
  constraint issue_workspaces_pkey PRIMARY KEY (id),
  constraint issue_workspaces_company_id_id_key UNIQUE (company_id, id),
  constraint issue_workspaces_issue_id_volume_agent_id_key UNIQUE NULLS NOT DISTINCT (issue_id, volume, agent_id),
  constraint issue_workspaces_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint issue_workspaces_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_workspaces_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id)
);
CREATE INDEX issue_workspaces_by_run ON issue_workspaces USING btree (run_id);
CREATE INDEX issue_workspaces_by_uncaptured_run ON issue_workspaces USING btree (uncaptured_run_id) WHERE (uncaptured_run_id IS NOT NULL);
CREATE INDEX issue_workspaces_by_company ON issue_workspaces USING btree (company_id, id);
CREATE INDEX issue_workspaces_by_removal ON issue_workspaces USING btree (volume, id) WHERE (removal_id IS NOT NULL);
CREATE UNIQUE INDEX issue_workspaces_by_port ON issue_workspaces USING btree (volume, first_port) WHERE (first_port IS NOT NULL);
-- for the removal of workspaces that were not used for long
CREATE INDEX issue_workspaces_idle ON issue_workspaces USING btree (volume, used_at) WHERE ((made_at IS NOT NULL) AND (uncaptured_run_id IS NULL));

-- The captured work of a run in a repository. It outlives the row of the run.
create table run_works (
  run_id uuid not null,
  repository_id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  workspace_id uuid not null,
  -- HEAD at the end, and a commit of all files that git does not ignore: HEAD itself, or its child
  head text not null,
  files text not null,
  -- the branch that was checked out; null: none
  branch text,
  -- an unfinished operation of git, such as rebase-merge
  state text,
  -- files that are not captured: [{ "path", "reason" }]
  left_out jsonb not null,
  -- the thin pack in the blob store; null: not yet there
  blob_key text,
  pack_bytes bigint,
  captured_at timestamptz(3) not null,
  -- the commit of all files at the beginning of the run
  base text,
  -- when its pack was checked to be complete; null: not yet
  pack_checked_at timestamptz(3),
  -- why it cannot be used: a sentence; null: it can, or was not checked yet
  pack_problem text,
  constraint run_works_pkey PRIMARY KEY (run_id, repository_id),
  constraint run_works_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint run_works_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint run_works_company_id_repository_id_fkey FOREIGN KEY (company_id, repository_id) REFERENCES repositories(company_id, id)
);
CREATE INDEX run_works_by_issue ON run_works USING btree (issue_id, captured_at);
CREATE INDEX run_works_unchecked ON run_works USING btree (run_id, repository_id) WHERE ((blob_key IS NOT NULL) AND (pack_checked_at IS NULL));
CREATE INDEX run_works_by_pack_problem ON run_works USING btree (run_id, repository_id) WHERE (pack_problem IS NOT NULL);

-- The last commands of repositories that ran in a workspace.
create table workspace_commands (
  id uuid not null,
  company_id uuid not null,
  workspace_id uuid not null,
  repository_id uuid not null,
  -- the run that it prepared; null: it ran before a removal
  run_id uuid,
  kind text not null,
  command text not null,
  -- null: it was stopped
  exit_code integer,
  -- why it counts as failed; null: it succeeded
  problem text,
  -- the end of what it printed
  output text not null,
  duration_ms integer not null,
  ended_at timestamptz(3) not null,
  constraint workspace_commands_pkey PRIMARY KEY (id),
  constraint workspace_commands_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint workspace_commands_company_id_workspace_id_fkey FOREIGN KEY (company_id, workspace_id) REFERENCES issue_workspaces(company_id, id),
  constraint workspace_commands_company_id_repository_id_fkey FOREIGN KEY (company_id, repository_id) REFERENCES repositories(company_id, id),
  constraint workspace_commands_kind_check CHECK ((kind = ANY (ARRAY['setup'::text, 'run'::text, 'archive'::text])))
);
CREATE INDEX workspace_commands_by_workspace ON workspace_commands USING btree (workspace_id, id);

-- How much a run has pushed to the service: the limits apply to all pushes of a run, to any service.
create table run_pushes (
  run_id uuid not null,
  company_id uuid not null,
  pushes integer not null,
  -- compressed, as sent
  bytes bigint not null,
  constraint run_pushes_pkey PRIMARY KEY (run_id),
  constraint run_pushes_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- Attempts to merge the work of an issue into the default branch at the host, one at a time for each repository.
create table merges (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  repository_id uuid not null,
  method text not null,
  -- the heads of the issue's branch and of the default branch
  from_commit text not null,
  onto_commit text,
  -- what is pushed, recorded before the push: after a crash the host is asked whether it has it
  commit text,
  state text not null,
  by_kind text not null,
  by_id uuid,
  by_run_id uuid,
  -- until then the service that started it counts as alive
  lease_until timestamptz(3) not null,
  -- when a service first saw that the lease had ended; null: none has
  lapsed_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint merges_pkey PRIMARY KEY (id),
  constraint merges_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint merges_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint merges_company_id_repository_id_fkey FOREIGN KEY (company_id, repository_id) REFERENCES repositories(company_id, id),
  constraint merges_method_check CHECK ((method = ANY (ARRAY['fast_forward'::text, 'merge'::text, 'squash'::text, 'pull_request'::text]))),
  constraint merges_state_check CHECK ((state = ANY (ARRAY['running'::text, 'merged'::text, 'failed'::text]))),
  constraint merges_by_kind_check CHECK ((by_kind = ANY (ARRAY['board'::text, 'agent'::text, 'system'::text])))
);
CREATE UNIQUE INDEX merges_one_running ON merges USING btree (repository_id) WHERE (state = 'running'::text);
CREATE INDEX merges_by_issue ON merges USING btree (issue_id, id);
CREATE INDEX merges_by_from_commit ON merges USING btree (repository_id, from_commit) WHERE (state = 'merged'::text);

-- Pull requests of issues at the hosts of repositories.
create table pull_requests (
  id uuid not null,
  company_id uuid not null,
  issue_id uuid not null,
  repository_id uuid not null,
  branch text not null,
  into_branch text not null,
  title text not null,
  body text not null,
  -- opening: the host is asked whether it has it already
  state text not null,
  number integer,
  url text,
  -- what the service pushed last, and the base of the issue's work at that time
  head text,
  base_commit text,
  -- the host's last report of the checks of checks_commit
  checks text not null,
  checks_commit text,
  failed_checks text[] not null,
  -- how often it woke the agent since a person acted, and since when it waits for a person
  wakes integer not null,
  handed_over_at timestamptz(3),
  problem text,
  by_kind text not null,
  by_id uuid,
  by_run_id uuid,
  changed_at timestamptz(3) not null,
  polled_at timestamptz(3),
  -- The service that polls first sets the next time.
  poll_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  constraint pull_requests_pkey PRIMARY KEY (id),
  constraint pull_requests_company_id_id_key UNIQUE (company_id, id),
  constraint pull_requests_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint pull_requests_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint pull_requests_company_id_repository_id_fkey FOREIGN KEY (company_id, repository_id) REFERENCES repositories(company_id, id),
  constraint pull_requests_state_check CHECK ((state = ANY (ARRAY['opening'::text, 'open'::text, 'merged'::text, 'closed'::text]))),
  constraint pull_requests_url_check CHECK ((url ~ '^https?://'::text)),
  constraint pull_requests_checks_check CHECK ((checks = ANY (ARRAY['none'::text, 'pending'::text, 'passed'::text, 'failed'::text]))),
  constraint pull_requests_by_kind_check CHECK ((by_kind = ANY (ARRAY['board'::text, 'agent'::text, 'system'::text]))),
  constraint pull_requests_check CHECK (((state <> 'open'::text) OR ((number IS NOT NULL) AND (url IS NOT NULL))))
);
CREATE UNIQUE INDEX pull_requests_one_open ON pull_requests USING btree (issue_id, repository_id) WHERE (state = ANY (ARRAY['opening'::text, 'open'::text]));
CREATE INDEX pull_requests_by_issue ON pull_requests USING btree (issue_id, id);
CREATE INDEX pull_requests_due ON pull_requests USING btree (poll_at) WHERE (state = ANY (ARRAY['opening'::text, 'open'::text]));
CREATE INDEX pull_requests_handed_over ON pull_requests USING btree (company_id) WHERE (handed_over_at IS NOT NULL);
CREATE INDEX pull_requests_by_branch ON pull_requests USING btree (repository_id, branch);

-- Notes at a host of which the agent was notified, by the host's id: each once.
create table host_notes (
  pull_request_id uuid not null,
  company_id uuid not null,
  host_id text not null,
  created_at timestamptz(3) not null,
  constraint host_notes_pkey PRIMARY KEY (pull_request_id, host_id),
  constraint host_notes_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint host_notes_company_id_pull_request_id_fkey FOREIGN KEY (company_id, pull_request_id) REFERENCES pull_requests(company_id, id)
);

-- Conditions that an issue of a project must meet before it is done.
create table project_gates (
  project_id uuid not null,
  company_id uuid not null,
  position integer not null,
  name text not null,
  kind text not null,
  -- of a review: one of them
  reviewer_agent_id uuid,
  reviewer_user_id uuid,
  -- of a command; `max_wakes`: how often its failures wake the agent before a person must act
  command text,
  timeout_sec integer,
  max_wakes integer,
  constraint project_gates_pkey PRIMARY KEY (project_id, "position"),
  constraint project_gates_project_id_name_key UNIQUE (project_id, name),
  constraint project_gates_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint project_gates_reviewer_user_id_fkey FOREIGN KEY (reviewer_user_id) REFERENCES board_users(id),
  constraint project_gates_company_id_project_id_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects(company_id, id),
  constraint project_gates_company_id_reviewer_agent_id_fkey FOREIGN KEY (company_id, reviewer_agent_id) REFERENCES agents(company_id, id),
  constraint project_gates_kind_check CHECK ((kind = ANY (ARRAY['clean'::text, 'published'::text, 'command'::text, 'checks'::text, 'review'::text]))),
  constraint project_gates_check CHECK ((num_nonnulls(reviewer_agent_id, reviewer_user_id) =
CASE kind
    WHEN 'review'::text THEN 1
    ELSE 0
END))
);
CREATE INDEX project_gates_with_command ON project_gates USING btree (project_id) WHERE (kind = 'command'::text);

-- The gates of a single issue, which replace those of its project.
create table issue_gates (
  issue_id uuid not null,
  company_id uuid not null,
  position integer not null,
  name text not null,
  kind text not null,
  -- of a review: one of them
  reviewer_agent_id uuid,
  reviewer_user_id uuid,
  -- of a command
  command text,
  timeout_sec integer,
  max_wakes integer,
  constraint issue_gates_pkey PRIMARY KEY (issue_id, "position"),
  constraint issue_gates_issue_id_name_key UNIQUE (issue_id, name),
  constraint issue_gates_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint issue_gates_reviewer_user_id_fkey FOREIGN KEY (reviewer_user_id) REFERENCES board_users(id),
  constraint issue_gates_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_gates_company_id_reviewer_agent_id_fkey FOREIGN KEY (company_id, reviewer_agent_id) REFERENCES agents(company_id, id),
  constraint issue_gates_kind_check CHECK ((kind = ANY (ARRAY['clean'::text, 'published'::text, 'command'::text, 'checks'::text, 'review'::text]))),
  constraint issue_gates_check CHECK ((num_nonnulls(reviewer_agent_id, reviewer_user_id) =
CASE kind
    WHEN 'review'::text THEN 1
    ELSE 0
END))
);

-- The last run of a command gate at the heads of an issue's branches.
create table gate_checks (
  issue_id uuid not null,
  company_id uuid not null,
  gate text not null,
  command text not null,
  commits text[] not null,
  state text not null,
  -- a sentence; null: it passed, or is running
  problem text,
  -- the end of what it printed
  log text not null,
  duration_ms integer,
  -- how often its failures woke the agent since a person acted, and since when it waits for a person
  wakes integer not null,
  handed_over_at timestamptz(3),
  -- until then the service that runs it counts as alive
  lease_until timestamptz(3) not null,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  lapsed_at timestamptz(3),
  -- A done issue has new work: the gate is checked again.
  is_due boolean not null default false,
  constraint gate_checks_pkey PRIMARY KEY (issue_id, gate),
  constraint gate_checks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint gate_checks_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint gate_checks_state_check CHECK ((state = ANY (ARRAY['running'::text, 'passed'::text, 'failed'::text])))
);
CREATE INDEX gate_checks_handed_over ON gate_checks USING btree (company_id) WHERE (handed_over_at IS NOT NULL);
CREATE INDEX gate_checks_running ON gate_checks USING btree (lease_until) WHERE (state = 'running'::text);
CREATE INDEX gate_checks_to_run ON gate_checks USING btree (issue_id) WHERE (is_due OR (state = 'running'::text));

-- The last review of an issue by each reviewer, of the heads of its branches at that time.
create table issue_reviews (
  issue_id uuid not null,
  company_id uuid not null,
  agent_id uuid,
  user_id uuid,
  verdict text not null,
  note text,
  commits text[] not null,
  created_at timestamptz(3) not null,
  constraint issue_reviews_issue_id_agent_id_user_id_key UNIQUE NULLS NOT DISTINCT (issue_id, agent_id, user_id),
  constraint issue_reviews_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint issue_reviews_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint issue_reviews_company_id_issue_id_fkey FOREIGN KEY (company_id, issue_id) REFERENCES issues(company_id, id),
  constraint issue_reviews_company_id_agent_id_fkey FOREIGN KEY (company_id, agent_id) REFERENCES agents(company_id, id),
  constraint issue_reviews_verdict_check CHECK ((verdict = ANY (ARRAY['approved'::text, 'changes_requested'::text]))),
  constraint issue_reviews_check CHECK ((num_nonnulls(agent_id, user_id) = 1))
);

-- The activity log. Only inserted.
create table activity (
  id uuid not null,
  company_id uuid not null,
  actor_kind text not null,
  actor_id uuid,
  -- the name of the assistant that acted for the person
  assistant text,
  run_id uuid,
  -- the id that its caller gave the request, by which a page recognises the events of its own changes
  request_id text,
  action text not null,
  entity_type text not null,
  entity_id uuid not null,
  details jsonb not null,
  position bigint not null default nextval('stream_positions'::regclass),
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  constraint activity_pkey PRIMARY KEY (id),
  constraint activity_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint activity_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['board'::text, 'agent'::text, 'system'::text])))
);
CREATE INDEX activity_by_company ON activity USING btree (company_id, id DESC);
CREATE INDEX activity_by_entity ON activity USING btree (entity_id, id DESC);
CREATE INDEX activity_by_actor ON activity USING btree (actor_id, id DESC) WHERE (actor_id IS NOT NULL);
CREATE INDEX activity_in_stream ON activity USING btree (company_id, xid, "position");
CREATE INDEX activity_by_type ON activity USING btree (company_id, entity_type, id DESC);
CREATE INDEX activity_ticks_missed ON activity USING btree (company_id, created_at) WHERE (action = 'routine.ticks_missed'::text);
-- what watchers of an issue see as news
CREATE INDEX activity_issue_news ON activity USING btree (entity_id, created_at) WHERE (action = ANY (ARRAY['issue.created'::text, 'issue.assigned'::text, 'issue.status_changed'::text, 'issue.comment_added'::text]));
-- for the loop breaker: when a person last acted
CREATE INDEX activity_by_people ON activity USING btree (entity_id, created_at) WHERE (actor_kind = 'board'::text);
CREATE INDEX activity_by_time ON activity USING btree (company_id, created_at, id);
-- the search: words of the details, and the company as one of them
CREATE INDEX activity_by_words ON activity USING gin (((array_to_tsvector(ARRAY[(company_id)::text]) || jsonb_to_tsvector('english'::regconfig, (plain((details)::text))::jsonb, '["string"]'::jsonb))));

-- Inbox entries that a person dismissed, in the version that they saw.
create table inbox_dismissals (
  user_id uuid not null,
  company_id uuid not null,
  entry_id text not null,
  version text not null,
  dismissed_at timestamptz(3) not null,
  constraint inbox_dismissals_pkey PRIMARY KEY (user_id, entry_id),
  constraint inbox_dismissals_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint inbox_dismissals_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- Requests with an Idempotency-Key, so that a repeated request gets the answer of the first.
create table idempotency_keys (
  scope bytea not null,
  request bytea not null,
  reserved_id uuid not null,
  status integer,
  expires_at timestamptz(3) not null,
  -- Until then the request counts as in progress.
  lease_until timestamptz(3) not null,
  -- the answer, where no record has it; null: it is made from the record
  answer jsonb,
  constraint idempotency_keys_pkey PRIMARY KEY (scope)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys USING btree (expires_at);

-- The service processes that share this database. One whose lease has ended counts as dead.
create table services (
  id uuid not null,
  host text not null,
  pid integer not null,
  role text not null,
  started_at timestamptz(3) not null,
  lease_until timestamptz(3) not null,
  -- On its own host a service is known to be alive by its process, before its lease ends.
  process_started_at text,
  -- the places whose processes it can end
  scopes text[] not null default '{}'::text[],
  volume text,
  -- Folders in which services of the same host find the programs that outlive the service, and for how many seconds after its
  -- lease: until then no other host starts its runs again.
  handover_folders text[] not null default '{}'::text[],
  handover_sec integer not null default 0,
  constraint services_pkey PRIMARY KEY (id)
);

-- Where services store the workspaces and homes of agents: the disk of a host, or a folder that several share. A volume without
-- a live service counts as abandoned from `abandoned_at` on.
create table volumes (
  id text not null,
  host text not null,
  seen_at timestamptz(3) not null,
  abandoned_at timestamptz(3) not null,
  constraint volumes_pkey PRIMARY KEY (id)
);

-- Keys and states of the service, by name.
create table instance_settings (
  name text not null,
  value jsonb not null,
  constraint instance_settings_pkey PRIMARY KEY (name)
);

-- Where a company sends its events: entries of the activity log after a position in the stream.
create table event_subscriptions (
  id uuid not null,
  company_id uuid not null,
  -- as people see it: of a chat only the host
  url text not null,
  format text not null,
  events text[] not null,
  -- the secret that signs, or the address of a chat
  sealed bytea not null,
  secret_version integer not null,
  -- the secret before, which signs too until then
  previous_sealed bytea,
  previous_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_because text,
  failing_since timestamptz(3),
  failures integer not null default 0,
  last_error text,
  -- the last event that was queued; null: it begins with the next one
  after_xid xid8,
  after_position bigint not null default 0,
  -- when it has something to send; null: nothing
  next_attempt_at timestamptz(3),
  -- the service that sends
  leased_by uuid,
  lease_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint event_subscriptions_pkey PRIMARY KEY (id),
  constraint event_subscriptions_company_id_id_key UNIQUE (company_id, id),
  constraint event_subscriptions_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint event_subscriptions_format_check CHECK ((format = ANY (ARRAY['webhook'::text, 'slack'::text, 'discord'::text, 'teams'::text, 'mattermost'::text]))),
  constraint event_subscriptions_disabled_because_check CHECK ((disabled_because = ANY (ARRAY['person'::text, 'failing'::text, 'gone'::text]))),
  constraint event_subscriptions_check CHECK (((disabled_at IS NULL) = (disabled_because IS NULL)))
);
CREATE INDEX event_subscriptions_by_company ON event_subscriptions USING btree (company_id, created_at, id);
CREATE INDEX event_subscriptions_due ON event_subscriptions USING btree (next_attempt_at) WHERE ((disabled_at IS NULL) AND (next_attempt_at IS NOT NULL));

-- Events on their way to subscriptions, and what was answered.
create table event_deliveries (
  id uuid not null,
  company_id uuid not null,
  subscription_id uuid not null,
  event_id uuid not null,
  type text not null,
  subject_type text not null,
  subject_id uuid not null,
  actor_type text not null,
  actor_id uuid,
  -- the name of the assistant that acted for the person
  assistant text,
  run_id uuid,
  details jsonb not null,
  occurred_at timestamptz(3) not null,
  -- The order in which they are sent.
  position bigint not null default nextval('stream_positions'::regclass),
  state text not null,
  -- Whether it is the first pending one of its subject: the others wait for it.
  is_head boolean not null,
  attempts integer not null default 0,
  first_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  next_attempt_at timestamptz(3),
  status integer,
  answer text,
  duration_ms integer,
  created_at timestamptz(3) not null,
  constraint event_deliveries_pkey PRIMARY KEY (id),
  constraint event_deliveries_company_id_subscription_id_fkey FOREIGN KEY (company_id, subscription_id) REFERENCES event_subscriptions(company_id, id) ON DELETE CASCADE,
  constraint event_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'undelivered'::text]))),
  constraint event_deliveries_check CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint event_deliveries_check1 CHECK (((state = 'pending'::text) OR (NOT is_head)))
);
CREATE INDEX event_deliveries_due ON event_deliveries USING btree (subscription_id, next_attempt_at) WHERE is_head;
CREATE INDEX event_deliveries_in_order ON event_deliveries USING btree (subscription_id, subject_id, "position") WHERE (state = 'pending'::text);
CREATE INDEX event_deliveries_by_time ON event_deliveries USING btree (subscription_id, created_at DESC, id DESC);
CREATE INDEX event_deliveries_by_age ON event_deliveries USING btree (created_at) WHERE (state <> 'pending'::text);
CREATE INDEX event_deliveries_undelivered ON event_deliveries USING btree (subscription_id) WHERE (state = 'undelivered'::text);

-- Of each person: what they want to be told, and the work on their notices.
create table notice_people (
  user_id uuid not null,
  -- null: the defaults
  settings jsonb,
  -- when the person last looked at an open page, and until when such a page will tell again
  seen_at timestamptz(3),
  present_until timestamptz(3),
  -- when the person last had a test notice sent
  tested_at timestamptz(3),
  -- of the last digest
  digest_day date,
  -- Whether something happened in a company of theirs, or with their sign-ins.
  has_news boolean not null default false,
  due_at timestamptz(3),
  -- the service that sends
  leased_by uuid,
  lease_until timestamptz(3),
  constraint notice_people_pkey PRIMARY KEY (user_id),
  constraint notice_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id)
);
CREATE INDEX notice_people_due ON notice_people USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notice_people_with_news ON notice_people USING btree (user_id) WHERE has_news;
CREATE INDEX notice_people_leased ON notice_people USING btree (lease_until) WHERE (leased_by IS NOT NULL);

-- The last entry of the activity log that was looked at; null: none.
create table notice_cursors (
  company_id uuid not null,
  after_xid xid8,
  after_position bigint not null default 0,
  constraint notice_cursors_pkey PRIMARY KEY (company_id),
  constraint notice_cursors_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id)
);

-- What a person is told about one subject.
create table notices (
  id uuid not null,
  user_id uuid not null,
  company_id uuid,
  -- the id of an entry of the inbox or of a sign-in, or 'digest'
  subject text not null,
  version text not null,
  kind text not null,
  noticed_at timestamptz(3) not null,
  closed_at timestamptz(3),
  -- by channel: its state, when it is due, failures, when it was sent
  sendings jsonb not null,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_user_id_subject_key UNIQUE (user_id, subject),
  constraint notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint notices_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint notices_kind_check CHECK ((kind = ANY (ARRAY['decision'::text, 'mention'::text, 'followed'::text, 'run_failed'::text, 'budget'::text, 'sign_in'::text, 'digest'::text])))
);
CREATE INDEX notices_closed ON notices USING btree (closed_at) WHERE (closed_at IS NOT NULL);

-- Browsers that show notices to a person.
create table push_subscriptions (
  id uuid not null,
  user_id uuid not null,
  -- It ends with that session, unless the same browser signs the person in again.
  session_id uuid not null,
  -- the SHA-256 of its address at the push service
  endpoint_hash bytea not null,
  -- the address and the keys of the browser
  sealed bytea not null,
  -- as the browser says
  expires_at timestamptz(3),
  -- when the push service last accepted a message
  last_used_at timestamptz(3),
  -- of the last message; null: it was accepted
  last_error text,
  created_at timestamptz(3) not null,
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_endpoint_hash_key UNIQUE (endpoint_hash),
  constraint push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint push_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES board_tokens(id)
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions USING btree (user_id, id);
CREATE INDEX push_subscriptions_by_session ON push_subscriptions USING btree (session_id);

-- Which version of a notice a browser has.
create table push_deliveries (
  notice_id uuid not null,
  subscription_id uuid not null,
  version text not null,
  constraint push_deliveries_pkey PRIMARY KEY (notice_id, subscription_id),
  constraint push_deliveries_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE,
  constraint push_deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscriptions(id) ON DELETE CASCADE
);
CREATE INDEX push_deliveries_by_subscription ON push_deliveries USING btree (subscription_id);

-- The chat of each person for notices.
create table notice_chats (
  user_id uuid not null,
  format text not null,
  -- the host alone
  url text not null,
  -- the address of its incoming webhook
  sealed bytea not null,
  created_at timestamptz(3) not null,
  -- when the chat last accepted a notice
  last_used_at timestamptz(3),
  -- of the last notice; null: it was accepted
  last_error text,
  constraint notice_chats_pkey PRIMARY KEY (user_id),
  constraint notice_chats_user_id_fkey FOREIGN KEY (user_id) REFERENCES board_users(id),
  constraint notice_chats_format_check CHECK ((format = ANY (ARRAY['slack'::text, 'discord'::text, 'teams'::text, 'mattermost'::text])))
);

-- The numbers of a company's issues are a sequence of its own. A transaction takes one without locking the company until its
-- commit, so that issues of a company are created concurrently; one that is rolled back leaves a gap.
CREATE OR REPLACE FUNCTION issue_numbers_of(company_id uuid)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 'issue_numbers_' || replace(company_id::text, '-', '_')
$function$;

CREATE OR REPLACE FUNCTION begin_issue_numbers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  execute format('create sequence %I', issue_numbers_of(new.id));
  return null;
end
$function$;

-- Identifies the account at a provider whose usage limits an agent's runs share, as a hash of the variables that sign its
-- program in. Agents without such variables use the sign-in in their home folder, and each company and runner has homes of its
-- own: both are part of the hash, or a used-up account of one company would stop the runs of another.
CREATE OR REPLACE FUNCTION account_of(company_id uuid, runtime_config jsonb, adapter_config jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  signs_in jsonb;
begin
  if jsonb_typeof(adapter_config -> 'env') = 'object' then
    select jsonb_object_agg(name, value)
    into   signs_in
    from   jsonb_each(adapter_config -> 'env') as variables (name, value)
    where  name ~* '(key|token|secret|passw|auth|credential|profile|config_dir|base_url|_home|^home$|^userprofile$)';
  end if;
  return encode(
    sha256(
      convert_to(
        jsonb_build_array(company_id, runtime_config -> 'runner', coalesce(signs_in, '{}'))::text,
        'UTF8'
      )
    ),
    'hex'
  );
end
$function$;

-- Ends a token after its second `@` and after each sixteenth punctuation mark. Longer addresses are found in parts.
CREATE OR REPLACE FUNCTION split_tokens(given text, mark text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select regexp_replace(
           regexp_replace(given, '([^\s@]*@[^\s@]*@)', '\1' || mark, 'g'),
           '((?:[^\s!-/:-@[-`{-~]*[!-/:-@[-`{-~]){16})', '\1' || mark, 'g'
         )
$function$;

-- A text as every server reads it, whatever its locale: in small letters, and with spaces for what is neither a letter nor a digit
-- outside ASCII.
CREATE OR REPLACE FUNCTION plain(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
           when octet_length(given) = length(given) then lower(given collate "C") collate "und-x-icu"
           else regexp_replace(
             lower(given collate "und-x-icu"),
             '[\u0080-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u206F\u20A0-\u20CF\u2190-\u2BFF\u2E00-\u2E7F'
             || '\u3000-\u3004\u3008-\u3020\uFE10-\uFE6F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\U0001F000-\U0001FAFF]',
             ' ',
             'g'
           )
         end
$function$;

-- A text without tags, which the parser would leave out, and without any other `<`. Of a very long text only the beginning is
-- searched, because a tsvector holds 1 MiB at most.
CREATE OR REPLACE FUNCTION searchable(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select split_tokens(
           translate(
             regexp_replace(plain(left(given, 100000)), '<[/!?a-z][-\sa-z0-9"''=#/:.&?%~_]*>', ' ', 'g'),
             '<',
             ' '
           ),
           ' '
         )
$function$;

-- The letters of scripts without spaces between words, for a bracket of a pattern: Thai, Lao, Myanmar, Khmer, Hangul, kana,
-- ideographs with their marks. Any part of a text in them is found.
CREATE OR REPLACE FUNCTION unspaced_letters()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select '\u0E00-\u0EFF\u1000-\u109F\u1100-\u11FF\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u3130-\u318F\u31F0-\u31FF'
      || '\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF'
$function$;

-- A text with a mark around each such letter.
CREATE OR REPLACE FUNCTION apart(given text, mark text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
           when octet_length(given) = length(given) then given
           else regexp_replace(given, '([' || unspaced_letters() || '])', mark || '\1' || mark, 'g')
         end
$function$;

-- Each two neighbouring letters of a text, and the last letter of each row of them. A search for several letters is one for the
-- row of their pairs. Positions in a tsvector end at 16,383, so that the first 16,000 letters of a text are found.
CREATE OR REPLACE FUNCTION letter_pairs(given text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select  coalesce(string_agg(quote_literal(pair) || ':' || place, ' '), '')::tsvector
  from    (
            select  letter || coalesce(lead(letter) over (partition by row order by at), '') as pair,
                    row_number() over (order by row, at) as place
            from    regexp_matches(left(given, 100000), '[' || unspaced_letters() || ']+', 'g')
                      with ordinality as rows (found, row),
                    unnest(string_to_array(found[1], null)) with ordinality as letters (letter, at)
            limit   16000
          ) as pairs
$function$;

-- The words of a text for the index.
CREATE OR REPLACE FUNCTION found_words(given text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if octet_length(given) = length(given) then
    return to_tsvector('english'::regconfig, searchable(given));
  end if;
  return to_tsvector(
           'english'::regconfig,
           searchable(regexp_replace(left(given, 100000), '[' || unspaced_letters() || ']+', ' ', 'g'))
         ) || letter_pairs(given);
end
$function$;

-- The query of an input, prepared and unprepared.
CREATE OR REPLACE FUNCTION words_meant(asked text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
           when searchable(asked) = plain(asked) then websearch_to_tsquery('english'::regconfig, plain(asked))
           else websearch_to_tsquery('english'::regconfig, searchable(asked))
                || websearch_to_tsquery('english'::regconfig, plain(asked))
         end
$function$;

-- The query of an input. A row of letters without spaces becomes the row of its pairs, and a single letter what begins a pair;
-- with `by_letter`, single letters, for the excerpt that is shown.
CREATE OR REPLACE FUNCTION words_sought(asked text, by_letter boolean)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  letters constant text := unspaced_letters();
  named text := asked;
  row text;
  rows text[] := '{}';
  sought text;
begin
  if octet_length(asked) = length(asked) then
    return words_meant(asked);
  end if;
  -- What is quoted stands together, as the letters of a row do by themselves.
  named := regexp_replace(named, '"([^"]*[' || letters || '][^"]*)"', ' \1 ', 'g');
  named := regexp_replace(named, '([^-[:space:]' || letters || '])(?=[' || letters || '])', '\1 ', 'g');
  -- Each row stands as a word for the parser, which then becomes what is sought of it.
  loop
    row := substring(named from '[' || letters || ']+');
    exit when row is null;
    rows := rows || row;
    named := regexp_replace(named, '[' || letters || ']+', 'zq' || cardinality(rows) || 'zq ');
  end loop;
  sought := words_meant(named)::text;
  for n in 1 .. cardinality(rows) loop
    sought := replace(
                sought,
                quote_literal('zq' || n || 'zq'),
                '(' || case
                  when by_letter then phraseto_tsquery('english', regexp_replace(rows[n], '(.)', '\1 ', 'g'))::text
                  when length(rows[n]) = 1 then quote_literal(rows[n]) || ':*'
                  else (
                    select  string_agg(quote_literal(substr(rows[n], at, 2)), ' <-> ' order by at)
                    from    generate_series(1, length(rows[n]) - 1) as at
                  )
                end || ')'
              );
  end loop;
  return sought::tsquery;
end
$function$;

-- The times that an id falls into, in four sizes, for the index: an id begins with its time, and each further byte divides it. A
-- function in an index may call only functions of the server, and hashes of bytea came with PostgreSQL 18.
CREATE OR REPLACE FUNCTION eras(company_id uuid, id uuid)
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array[
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 2), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 3), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 4), 'hex'), 0),
    hashtextextended(encode(uuid_send(company_id) || substring(uuid_send(id) for 5), 'hex'), 0)
  ]
$function$;

CREATE OR REPLACE FUNCTION older_issues_with(company uuid, sought tsquery, passed integer, most integer)
 RETURNS TABLE(id uuid, issue_id uuid, search tsvector)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
      declare
        oldest constant bytea := (select uuid_send(t.id) from issues t where t.company_id = company order by t.id limit 1);
        before constant uuid := (
          select t.id from issues t where t.company_id = company order by t.id desc offset passed - 1 limit 1
        );
        newest constant bytea := uuid_send(before);
        -- The times that are left, the newest last: what their ids begin with, and from which to which part thereafter.
        times bytea[] := array['', substring(newest for 2), substring(newest for 3), substring(newest for 4)];
        firsts integer[] := array[get_byte(oldest, 0) * 256 + get_byte(oldest, 1), 0, 0, 0];
        lasts integer[] := array[
          get_byte(newest, 0) * 256 + get_byte(newest, 1) - 1, get_byte(newest, 2) - 1, get_byte(newest, 3) - 1, get_byte(newest, 4)
        ];
        at integer;
        time bytea;
        first integer;
        last integer;
        step integer;
        ids uuid[];
        missing integer := most;
      begin
        if before is null then
          return;
        end if;
        while missing > 0 and cardinality(times) > 0 loop
          at := cardinality(times);
          time := times[at];
          first := firsts[at];
          last := lasts[at];
          times := trim_array(times, 1);
          firsts := trim_array(firsts, 1);
          lasts := trim_array(lasts, 1);
          step := 1;
          if first = last or (time <> '' and last - first < 16) then
            ids := array(
              select  t.id
              from    issues t
              where   t.search @@ sought
              and     eras(t.company_id, t.id) && array(
                        select  hashtextextended(
                                  encode(
                                    uuid_send(company) || time || substring(int4send(part) from case when time = '' then 3 else 4 end),
                                    'hex'
                                  ),
                                  0
                                )
                        from    generate_series(first, last) as part
                      )
              and     t.company_id = company
              and     t.id < before
              limit   case when length(time) < 4 or first < last then 2 * most end
            );
            if cardinality(ids) < 2 * most or (length(time) = 4 and first = last) then
              return query
                select t.id, t.id, t.search from issues t where t.id = any(ids) order by t.id desc limit missing;
              missing := missing - cardinality(ids);
              continue;
            end if;
            if first = last then
              time := time || substring(int4send(first) from case when time = '' then 3 else 4 end);
              first := 0;
              last := 255;
              step := 16;
            end if;
          else
            step := case when time = '' then 1 else 16 end;
          end if;
          for part in first .. last by step loop
            times := times || time;
            firsts := firsts || part;
            lasts := lasts || least(part + step - 1, last);
          end loop;
        end loop;
      end
      $function$;

CREATE OR REPLACE FUNCTION older_comments_with(company uuid, sought tsquery, passed integer, most integer)
 RETURNS TABLE(id uuid, issue_id uuid, search tsvector)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
      declare
        oldest constant bytea := (select uuid_send(t.id) from comments t where t.company_id = company order by t.id limit 1);
        before constant uuid := (
          select t.id from comments t where t.company_id = company order by t.id desc offset passed - 1 limit 1
        );
        newest constant bytea := uuid_send(before);
        -- The times that are left, the newest last: what their ids begin with, and from which to which part thereafter.
        times bytea[] := array['', substring(newest for 2), substring(newest for 3), substring(newest for 4)];
        firsts integer[] := array[get_byte(oldest, 0) * 256 + get_byte(oldest, 1), 0, 0, 0];
        lasts integer[] := array[
          get_byte(newest, 0) * 256 + get_byte(newest, 1) - 1, get_byte(newest, 2) - 1, get_byte(newest, 3) - 1, get_byte(newest, 4)
        ];
        at integer;
        time bytea;
        first integer;
        last integer;
        step integer;
        ids uuid[];
        missing integer := most;
      begin
        if before is null then
          return;
        end if;
        while missing > 0 and cardinality(times) > 0 loop
          at := cardinality(times);
          time := times[at];
          first := firsts[at];
          last := lasts[at];
          times := trim_array(times, 1);
          firsts := trim_array(firsts, 1);
          lasts := trim_array(lasts, 1);
          step := 1;
          if first = last or (time <> '' and last - first < 16) then
            ids := array(
              select  t.id
              from    comments t
              where   t.search @@ sought
              and     eras(t.company_id, t.id) && array(
                        select  hashtextextended(
                                  encode(
                                    uuid_send(company) || time || substring(int4send(part) from case when time = '' then 3 else 4 end),
                                    'hex'
                                  ),
                                  0
                                )
                        from    generate_series(first, last) as part
                      )
              and     t.company_id = company
              and     t.id < before
              limit   case when length(time) < 4 or first < last then 2 * most end
            );
            if cardinality(ids) < 2 * most or (length(time) = 4 and first = last) then
              return query
                select t.id, t.issue_id, t.search from comments t where t.id = any(ids) order by t.id desc limit missing;
              missing := missing - cardinality(ids);
              continue;
            end if;
            if first = last then
              time := time || substring(int4send(first) from case when time = '' then 3 else 4 end);
              first := 0;
              last := 255;
              step := 16;
            end if;
          else
            step := case when time = '' then 1 else 16 end;
          end if;
          for part in first .. last by step loop
            times := times || time;
            firsts := firsts || part;
            lasts := lasts || least(part + step - 1, last);
          end loop;
        end loop;
      end
      $function$;

CREATE OR REPLACE FUNCTION older_documents_with(company uuid, sought tsquery, passed integer, most integer)
 RETURNS TABLE(id uuid, issue_id uuid, search tsvector)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
      declare
        oldest constant bytea := (select uuid_send(t.id) from documents t where t.company_id = company order by t.id limit 1);
        before constant uuid := (
          select t.id from documents t where t.company_id = company order by t.id desc offset passed - 1 limit 1
        );
        newest constant bytea := uuid_send(before);
        -- The times that are left, the newest last: what their ids begin with, and from which to which part thereafter.
        times bytea[] := array['', substring(newest for 2), substring(newest for 3), substring(newest for 4)];
        firsts integer[] := array[get_byte(oldest, 0) * 256 + get_byte(oldest, 1), 0, 0, 0];
        lasts integer[] := array[
          get_byte(newest, 0) * 256 + get_byte(newest, 1) - 1, get_byte(newest, 2) - 1, get_byte(newest, 3) - 1, get_byte(newest, 4)
        ];
        at integer;
        time bytea;
        first integer;
        last integer;
        step integer;
        ids uuid[];
        missing integer := most;
      begin
        if before is null then
          return;
        end if;
        while missing > 0 and cardinality(times) > 0 loop
          at := cardinality(times);
          time := times[at];
          first := firsts[at];
          last := lasts[at];
          times := trim_array(times, 1);
          firsts := trim_array(firsts, 1);
          lasts := trim_array(lasts, 1);
          step := 1;
          if first = last or (time <> '' and last - first < 16) then
            ids := array(
              select  t.id
              from    documents t
              where   t.search @@ sought
              and     eras(t.company_id, t.id) && array(
                        select  hashtextextended(
                                  encode(
                                    uuid_send(company) || time || substring(int4send(part) from case when time = '' then 3 else 4 end),
                                    'hex'
                                  ),
                                  0
                                )
                        from    generate_series(first, last) as part
                      )
              and     t.company_id = company
              and     t.id < before
              limit   case when length(time) < 4 or first < last then 2 * most end
            );
            if cardinality(ids) < 2 * most or (length(time) = 4 and first = last) then
              return query
                select t.id, t.issue_id, t.search from documents t where t.id = any(ids) order by t.id desc limit missing;
              missing := missing - cardinality(ids);
              continue;
            end if;
            if first = last then
              time := time || substring(int4send(first) from case when time = '' then 3 else 4 end);
              first := 0;
              last := 255;
              step := 16;
            end if;
          else
            step := case when time = '' then 1 else 16 end;
          end if;
          for part in first .. last by step loop
            times := times || time;
            firsts := firsts || part;
            lasts := lasts || least(part + step - 1, last);
          end loop;
        end loop;
      end
      $function$;

CREATE OR REPLACE FUNCTION index_issue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(new.title), 'A')
    || setweight(found_words(coalesce(new.description, '')), 'B');
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION add_to_issue_count(of_company uuid, of_status text, added bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION count_issues_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform add_to_issue_count(company_id, status, count(*)) from changed group by company_id, status;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_issues_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform add_to_issue_count(company_id, status, -count(*)) from changed group by company_id, status;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_issue_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform add_to_issue_count(old.company_id, old.status, -1);
  perform add_to_issue_count(new.company_id, new.status, 1);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION index_comment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.search := array_to_tsvector(array[new.company_id::text]) || setweight(found_words(new.body), 'D');
  return new;
end
$function$;

-- A value with its texts cut, for what judges whether a request may still be granted: it compares names, references and paths, never
-- long texts, and lists judge many requests at once, each with a payload of up to a mebibyte.
CREATE OR REPLACE FUNCTION outline_of(given jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return case jsonb_typeof(given)
           when 'object' then (
             select coalesce(jsonb_object_agg(key, outline_of(value)), '{}') from jsonb_each(given)
           )
           when 'array' then (
             select  coalesce(jsonb_agg(outline_of(value) order by place), '[]')
             from    jsonb_array_elements(given) with ordinality as element (value, place)
           )
           when 'string' then
             to_jsonb(left(given #>> '{}', case when starts_with(given #>> '{}', '/') then 4096 else 512 end))
           else given
         end;
end
$function$;

CREATE OR REPLACE FUNCTION index_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.search :=
    array_to_tsvector(array[new.company_id::text])
    || setweight(found_words(coalesce(new.title, '')), 'B')
    || setweight(found_words(new.body), 'C');
  return new;
end
$function$;

-- The queued run that a new wake of an agent on an issue joins: the existing one, or a new one. Null where a run is running:
-- then the wake waits for its end. It loops, because a run may begin or end between its two statements. The run that it finds
-- is locked until the end of the transaction, so that no run ends without the wakes that wait for its end.
CREATE OR REPLACE FUNCTION queued_run_for(wake_company uuid, wake_agent uuid, wake_issue uuid, fresh_run uuid, adapter text, reason text, source text, payload jsonb, retry_of uuid, by_agents boolean, last_triggered timestamptz, starts_after timestamptz, at timestamptz)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  live record;
begin
  -- Before the shared lock, which two transactions could not both turn into their own. A wake that may start at once ends
  -- the delay of the run that it joins.
  update runs
  set    not_before = case when starts_after is not null then greatest(not_before, starts_after) end
  where  agent_id = wake_agent
  and    issue_id is not distinct from wake_issue
  and    status = 'queued'
  and    not_before is not null;
  loop
    select id, status
    into   live
    from   runs
    where  agent_id = wake_agent
    and    issue_id is not distinct from wake_issue
    and    status in ('queued', 'running')
    for    share;
    if found and live.status = 'running' then
      return null;
    elsif found then
      -- A claim skips a locked run: tell it to look again.
      perform pg_notify('boardroom_work', '');
      return live.id;
    end if;

    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source,
      context, retry_of_run_id, caused_by_agents, triggered_at, not_before, created_at, updated_at
    )
    values (
      fresh_run, wake_company, wake_agent, wake_issue, adapter, 'queued', reason, source,
      payload, retry_of, by_agents, last_triggered, starts_after, at, at
    )
    on conflict (agent_id, issue_id) where status in ('queued', 'running') do nothing;
    if found then
      perform pg_notify('boardroom_work', '');
      return fresh_run;
    end if;
  end loop;
end
$function$;

-- Services that wait for the next tick are notified of an earlier one.
CREATE OR REPLACE FUNCTION announce_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('boardroom_schedule', '');
  return null;
end
$function$;
