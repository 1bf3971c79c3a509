import { lazy, Suspense, useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { OpeningRow } from "../../widgets/opening-row.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { useAdding } from "./add-menu.tsx";
import { useIssueMay } from "./issue-shown.ts";

const DocumentView = lazy(async () => ({ default: (await import("./document-view.tsx")).DocumentView }));

/** Plans and other texts of an issue, each opened where it stands. */
export const Documents = ({ issue }: { readonly issue: Issue }) => {
  const nameOf = useNames();
  const mayWork = useIssueMay("writeDocument").allowed;
  const [open, setOpen] = useState<string | null>(null);
  const [isAdding, setAdding] = useState(false);
  const documents = useRead("documents.list", { issueId: issue.id });
  const rows = documents.data?.items ?? [];
  useAdding("document", () => setAdding(true));
  const adding = isAdding ? (
    <NewDocument
      issueId={issue.id}
      onClose={() => setAdding(false)}
      onDone={(key) => {
        setAdding(false);
        setOpen(key);
      }}
    />
  ) : null;
  if (documents.isPending || (rows.length === 0 && !documents.isError)) return adding;
  return (
    <section aria-labelledby="issue-documents" className="issue-section">
      <header className="row">
        <h3 id="issue-documents" className="grow">
          Documents
        </h3>
        {mayWork ? (
          <Button small kind="quiet" icon="plus" onClick={() => setAdding(true)}>
            Add a document
          </Button>
        ) : null}
      </header>
      {documents.isError ? <Problem error={documents.error} /> : null}
      {rows.map((each) => {
        const isOpen = open === each.key;
        return (
          <article key={each.id} className="issue-document">
            <OpeningRow isOpen={isOpen} onToggle={() => setOpen(isOpen ? null : each.key)}>
              <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
              <Icon name="file-text" />
              <span className="grow cut">{each.title ?? each.key}</span>
              <span className="faint">
                <span className="wide-only">
                  revision {each.latestRevisionNumber} by{" "}
                  {nameOf(each.updatedByAgentId ?? each.updatedByUserId).name},{" "}
                </span>
                <Time at={each.updatedAt} />
              </span>
            </OpeningRow>
            {isOpen ? (
              <Suspense fallback={<Skeleton rows={3} />}>
                <DocumentView issueId={issue.id} document={each} />
              </Suspense>
            ) : null}
          </article>
        );
      })}
      {adding}
    </section>
  );
};

interface NewDocumentProps {
  readonly issueId: string;
  readonly onClose: () => void;
  readonly onDone: (key: string) => void;
}

const NewDocument = ({ issueId, onClose, onDone }: NewDocumentProps) => {
  const [key, setKey] = useState("");
  const [title, setTitle] = useState("");
  const [body, setBody] = useState("");
  const put = useWrite("documents.put", { onDone: (made) => onDone(made.key) });
  return (
    <FormDialog
      title="Add a document"
      verb="Add"
      wide
      write={put}
      onSubmit={() => put.run({ issueId, key: key.trim(), body, ...(title.trim() === "" ? {} : { title }) })}
      onClose={onClose}
    >
      <TextField
        label="Key"
        name="key"
        required
        maxLength={64}
        hint="Agents find the document by this key, such as plan."
        value={key}
        onChange={setKey}
      />
      <TextField label="Title" name="title" maxLength={200} value={title} onChange={setTitle} />
      <TextArea
        label="Text"
        name="body"
        hint="Supports Markdown."
        rows={12}
        value={body}
        onChange={setBody}
      />
    </FormDialog>
  );
};
