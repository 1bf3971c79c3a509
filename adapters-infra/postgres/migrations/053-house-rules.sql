-- What all agents of a company read in every run. The latest revision counts.
create table house_rules (
  company_id          uuid not null references companies,
  revision_number     integer not null,
  body                text not null,
  created_by_user_id  uuid,
  created_at          timestamptz(3) not null,
  primary key (company_id, revision_number)
);
