import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import type { IssueDocument } from "../../live/records.ts";
import { useIssuePath } from "../../nouns/companies/company.tsx";
import { Markdown } from "../../nouns/markdown.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, Problem, TextArea, TextField } from "../../widgets/field.tsx";
import { DocumentRevisions } from "./document-revisions.tsx";
import { useIssueMay } from "./issue-shown.ts";

interface DocumentViewProps {
  readonly issueId: string;
  readonly document: IssueDocument;
}

interface Draft {
  /** The revision that the text began from. */
  readonly baseRevisionId: string;
  readonly body: string;
}

/** A document: its text, its editor and its history. An unfinished edit continues. */
export const DocumentView = ({ issueId, document }: DocumentViewProps) => {
  const issuePath = useIssuePath();
  const mayWork = useIssueMay("writeDocument").allowed;
  const mayDelete = useIssueMay("deleteDocument").allowed;
  const [kept, setKept] = useDraft(`document ${document.id}`);
  const draft = kept === "" ? null : (JSON.parse(kept) as Draft);
  const [showsRevisions, setShowsRevisions] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const remove = useWrite("documents.delete", { onRefused: () => setDeleting(false) });
  if (draft !== null)
    return (
      <DocumentForm
        issueId={issueId}
        document={document}
        draft={draft}
        onChange={(next) => setKept(next === null ? "" : JSON.stringify(next))}
      />
    );
  return (
    <div className="issue-document-body">
      <div className="row-wrap">
        {mayWork ? (
          <Button
            small
            icon="pencil"
            onClick={() =>
              setKept(JSON.stringify({ baseRevisionId: document.latestRevisionId, body: document.body }))
            }
          >
            Edit the text
          </Button>
        ) : null}
        <Button
          small
          icon="clock"
          aria-pressed={showsRevisions}
          onClick={() => setShowsRevisions(!showsRevisions)}
        >
          Revisions
        </Button>
        {mayDelete ? (
          <Button small kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        ) : null}
      </div>
      {remove.error === null ? null : <Problem error={remove.error} />}
      {showsRevisions ? (
        <DocumentRevisions issueId={issueId} document={document} />
      ) : document.format === "markdown" ? (
        <Markdown text={document.body} issuePath={issuePath} />
      ) : (
        <pre className="card-text">{document.body}</pre>
      )}
      {isDeleting ? (
        <ConfirmDialog
          title={`Delete ${document.title ?? document.key}?`}
          verb="Delete"
          busy={remove.busy}
          onConfirm={() => remove.run({ issueId, key: document.key })}
          onClose={() => setDeleting(false)}
        >
          This permanently deletes all {document.latestRevisionNumber} revisions. Open requests about the
          document expire.
        </ConfirmDialog>
      ) : null}
    </div>
  );
};

interface DocumentFormProps extends DocumentViewProps {
  readonly draft: Draft;
  /** null ends the change. */
  readonly onChange: (draft: Draft | null) => void;
}

/** The text being changed. Where somebody else saved meanwhile, says so and shows how the two differ. */
const DocumentForm = ({ issueId, document, draft, onChange }: DocumentFormProps) => {
  const [changeSummary, setSummary] = useState("");
  const put = useWrite("documents.put", { onDone: () => onChange(null) });
  const isBehind = draft.baseRevisionId !== document.latestRevisionId;
  return (
    <div className="issue-document-body">
      {isBehind && !put.busy ? (
        <div className="issue-behind" role="status">
          <p>
            Revision {document.latestRevisionNumber} was saved while you were editing. Your text would make
            these changes to it:
          </p>
          <Diff before={document.body} after={draft.body} />
          <div className="row-wrap">
            <Button
              small
              onClick={() => onChange({ baseRevisionId: document.latestRevisionId, body: document.body })}
            >
              Use theirs
            </Button>
            <Button
              small
              onClick={() => onChange({ baseRevisionId: document.latestRevisionId, body: draft.body })}
            >
              Keep mine
            </Button>
          </div>
        </div>
      ) : null}
      <Form
        label={`Change ${document.title ?? document.key}`}
        error={put.error}
        onSubmit={() =>
          put.run({
            issueId,
            key: document.key,
            title: document.title,
            format: document.format,
            body: draft.body,
            baseRevisionId: draft.baseRevisionId,
            ...(changeSummary.trim() === "" ? {} : { changeSummary }),
          })
        }
      >
        <TextArea
          label="Text"
          name="body"
          rows={12}
          value={draft.body}
          onChange={(body) => onChange({ ...draft, body })}
        />
        <TextField
          label="Summary of changes"
          name="changeSummary"
          maxLength={500}
          hint="Optional."
          value={changeSummary}
          onChange={setSummary}
        />
        <div className="form-actions">
          <Button onClick={() => onChange(null)}>Discard</Button>
          <Button type="submit" kind="main" busy={put.busy} disabled={isBehind}>
            Save
          </Button>
        </div>
      </Form>
    </div>
  );
};
