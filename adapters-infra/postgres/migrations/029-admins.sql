-- Instance admins are listed among the people of each company.
create index board_users_admins on board_users (id) where is_admin;
