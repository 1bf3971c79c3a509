-- Servers of the Model Context Protocol whose tools a company gives to its agents' programs.
create table mcp_servers (
  id                  uuid primary key,
  company_id          uuid not null references companies,
  name                text not null,
  url                 text,
  command             text,
  args                text[] not null default '{}',
  -- by name: a text, or a reference to a secret
  headers             jsonb not null default '{}',
  env                 jsonb not null default '{}',
  allow_private_host  boolean not null default false,
  -- which agents get it
  all_agents          boolean not null default false,
  agent_ids           uuid[] not null default '{}',
  roles               text[] not null default '{}',
  -- as it listed them when it was tested
  tools               jsonb,
  tested_at           timestamptz(3),
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null,
  check ((url is null) <> (command is null))
);
create unique index mcp_servers_name_key on mcp_servers (company_id, name);
