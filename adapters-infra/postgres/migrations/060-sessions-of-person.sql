-- The web sessions of a person, for the page that lists and ends them.
create index board_tokens_sessions_of_user on board_tokens (user_id, id) where kind = 'session';
