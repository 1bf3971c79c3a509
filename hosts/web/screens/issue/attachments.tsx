import { type ReactNode, useRef, useState } from "react";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { baseUrl } from "../../live/client.ts";
import type { Issue } from "../../live/records.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { sizeText } from "../../widgets/size-text.ts";
import { Time } from "../../widgets/time.tsx";
import { useAdding } from "./add-menu.tsx";
import { useIssueMay } from "./issue-shown.ts";

type Attachment = RowOf<"attachments.list">;

interface AttachmentsProps {
  readonly issue: Issue;
  /** Files dropped on any of it are attached. */
  readonly children: ReactNode;
}

/** The files of an issue; one is added by the button, or dropped on what the issue says. */
export const Attachments = ({ issue, children }: AttachmentsProps) => {
  const mayWork = useIssueMay("attach").allowed;
  const picker = useRef<HTMLInputElement>(null);
  const [deleting, setDeleting] = useState<Attachment | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const attachments = useRead("attachments.list", { issueId: issue.id });
  const add = useWrite("attachments.add");
  const remove = useWrite("attachments.remove", {
    onDone: () => setDeleting(null),
    onRefused: () => setDeleting(null),
  });
  const upload = async (files: readonly File[]) => {
    setRefusal(null);
    try {
      for (const file of files) await add.runAndWait({ companyId: issue.companyId, issueId: issue.id, file });
    } catch (error) {
      setRefusal(error);
    }
  };
  const rows = attachments.data?.items ?? [];
  useAdding("file", () => picker.current?.click());
  return (
    <FileDrop accepts={mayWork} onFiles={(files) => void upload(files)}>
      {children}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file can be chosen again, after it was deleted.
          target.value = "";
          void upload(files);
        }}
      />
      {rows.length === 0 && attachments.error === null && refusal === null ? null : (
        <section aria-labelledby="issue-files" className="issue-section">
          <header className="row">
            <h3 id="issue-files" className="grow">
              Files
            </h3>
            {mayWork ? (
              <Button
                small
                kind="quiet"
                icon="paperclip"
                busy={add.busy}
                onClick={() => picker.current?.click()}
              >
                Attach a file
              </Button>
            ) : null}
          </header>
          {attachments.isError ? <Problem error={attachments.error} /> : null}
          {refusal === null ? null : <Problem error={refusal} />}
          {remove.error === null ? null : <Problem error={remove.error} />}
          <ul className="plain-list">
            {rows.map((file) => (
              <FileRow key={file.id} file={file} onDelete={mayWork ? () => setDeleting(file) : null} />
            ))}
          </ul>
        </section>
      )}
      {deleting === null ? null : (
        <ConfirmDialog
          title={`Delete ${deleting.originalFilename ?? "the file"}?`}
          verb="Delete"
          busy={remove.busy}
          onConfirm={() => remove.run({ attachmentId: deleting.id })}
          onClose={() => setDeleting(null)}
        >
          This permanently deletes the file for everyone, including agents.
        </ConfirmDialog>
      )}
    </FileDrop>
  );
};

interface FileDropProps {
  readonly accepts: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

/** An area on which files may be dropped. */
const FileDrop = ({ accepts, onFiles, children }: FileDropProps) => {
  const [isOver, setOver] = useState(false);
  const bringsFiles = (data: DataTransfer) => accepts && data.types.includes("Files");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of the button "Attach a file"
    <div
      className={isOver ? "issue-drop over" : "issue-drop"}
      onDragOver={(event) => {
        if (!bringsFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!bringsFiles(event.dataTransfer)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
};

interface FileRowProps {
  readonly file: Attachment;
  /** null: this person may not. */
  readonly onDelete: (() => void) | null;
}

const FileRow = ({ file, onDelete }: FileRowProps) => (
  <li className="issue-file">
    <Icon name={file.contentType.startsWith("image/") ? "image" : "paperclip"} />
    <a className="grow cut" href={`${baseUrl}${file.openPath}`} target="_blank" rel="noopener noreferrer">
      {file.originalFilename ?? "Untitled"}
    </a>
    <span className="faint wide-only">{file.contentType}</span>
    <span className="faint">{sizeText(file.byteSize)}</span>
    <span className="faint wide-only">
      <Time at={file.createdAt} />
    </span>
    <a
      className="button quiet small icon-only"
      href={`${baseUrl}${file.downloadPath}`}
      aria-label={`Download ${file.originalFilename ?? "the file"}`}
      title="Download"
    >
      <Icon name="download" />
    </a>
    {onDelete === null ? null : (
      <IconButton
        small
        icon="trash"
        label={`Delete ${file.originalFilename ?? "the file"}`}
        onClick={onDelete}
      />
    )}
  </li>
);
