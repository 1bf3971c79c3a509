-- What an edited comment said before is kept until the comment is deleted, which leaves nothing of its words.
alter table comments add column edited_at timestamptz(3);
alter table comments add column deleted_at timestamptz(3);
alter table comments add constraint deleted_comments_say_nothing check (deleted_at is null or body = '');

create table comment_revisions (
  id           uuid primary key,
  comment_id   uuid not null references comments,
  body         text not null,
  replaced_at  timestamptz(3) not null
);
create index comment_revisions_by_comment on comment_revisions (comment_id, id);
