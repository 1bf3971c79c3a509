-- The lines of an issue's changes on which a comment was written (`CommentLocation`); null: it is about the issue.
alter table comments add column location jsonb;
create index comments_on_lines on comments (issue_id, id) where location is not null;
