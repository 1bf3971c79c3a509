import { useEffect, useRef } from "react";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useIssuePath } from "../../nouns/companies/company.tsx";
import { type Location, locationName } from "../../nouns/issues/location-name.ts";
import type { PendingComment } from "../../nouns/issues/review-draft.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, TextArea } from "../../widgets/field.tsx";
import { Time } from "../../widgets/time.tsx";
import { QuotedLocation } from "./quoted-location.tsx";

export type LineComment = RowOf<"issues.lineComments">;

const noComments: readonly LineComment[] = [];

/** The comments on lines of the issue's changes, newest first. */
export const useLineComments = (issueId: string): readonly LineComment[] =>
  useRead("issues.lineComments", { issueId, limit: 200 }).data?.items ?? noComments;

/** Comments below a line, oldest first; those whose lines are gone show what they said. */
export const LineComments = ({ comments }: { readonly comments: readonly LineComment[] }) => {
  const nameOf = useNames();
  const issuePath = useIssuePath();
  return (
    <ol className="plain-list issue-line-comments">
      {comments
        .toReversed()
        .map(({ id, authorAgentId, authorUserId, authorName, createdAt, body, ...comment }) => (
          <li key={id}>
            <article
              className="issue-comment"
              aria-label={`Comment by ${authorName} on ${locationName(comment.location)}`}
            >
              <header className="row-wrap">
                <Actor kind={nameOf(authorAgentId ?? authorUserId).kind} name={authorName} />
                <span className="faint">
                  <Time at={createdAt} />
                  {comment.isOutdated ? " · outdated" : ""}
                </span>
              </header>
              {comment.now === null ? <QuotedLocation location={comment.location} /> : null}
              <Markdown text={body} issuePath={issuePath} />
            </article>
          </li>
        ))}
    </ol>
  );
};

interface LineComposerProps {
  readonly issueId: string;
  readonly location: Omit<Location, "lines">;
  readonly onAdd: (comment: PendingComment) => void;
  readonly onClose: () => void;
}

/** Where a comment on lines is written: it is sent at once, or with the others of a review. */
export const LineComposer = ({ issueId, location, onAdd, onClose }: LineComposerProps) => {
  const { repositoryId, path, side, startLine: line, endLine, commit } = location;
  const [body, setBody] = useDraft(
    `comment on ${issueId} ${repositoryId} ${path} ${side} ${line} ${endLine}`,
  );
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("textarea")?.focus(), []);
  const comment = useWrite("issues.comment", {
    onDone: () => {
      setBody("");
      onClose();
    },
  });
  const label = `Comment on ${locationName(location)}`;
  return (
    <div className="issue-line-composer" ref={box}>
      <Form
        label={label}
        error={comment.error}
        onSubmit={() => {
          onAdd({ body, repositoryId, path, side, line, endLine, commit });
          setBody("");
          onClose();
        }}
      >
        <TextArea
          label={label}
          name="body"
          required
          value={body}
          onChange={setBody}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            onClose();
          }}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            busy={comment.busy}
            disabled={body.trim() === ""}
            onClick={() => comment.run({ issueId, body, repositoryId, path, side, line, endLine, commit })}
          >
            Comment
          </Button>
          <Button type="submit" kind="main" disabled={body.trim() === ""}>
            Add to review
          </Button>
        </div>
      </Form>
    </div>
  );
};
