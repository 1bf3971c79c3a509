import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { Problem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Patch } from "../../parts/patch.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { rowProps, useVirtualRows } from "../../parts/virtual-rows.ts";
import { visible } from "../../parts/visible-text.ts";

type ChangedFile = IssueChanges["files"][number];

interface ChangedFilesProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
  readonly layout: "unified" | "sides";
}

const words: Readonly<Record<ChangedFile["status"], string>> = {
  added: "added",
  modified: "modified",
  deleted: "deleted",
  renamed: "renamed",
  copied: "copied",
  type_changed: "type changed",
};

const keyOf = ({ oldPath, path }: ChangedFile) => `${oldPath ?? ""}\0${path}`;

/** The files that differ; each is opened for its lines. */
export const ChangedFiles = ({ issueId, changes, layout }: ChangedFilesProps) => {
  const { files } = changes;
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(list, files, keyOf);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  return (
    <ul className="plain-list" aria-label="Changed files" ref={list}>
      {rows.shown.map(({ row: file, index, gap }) => {
        const key = keyOf(file);
        const isOpen = opened.has(key);
        return (
          <li key={key} {...rowProps(rows, { index, gap }, files.length)}>
            <button
              type="button"
              className="issue-document-head"
              aria-expanded={isOpen}
              onClick={() => toggle(key)}
            >
              <Icon name="file-text" />
              <span className="grow cut mono">{pathText(file)}</span>
              <span className="muted">{words[file.status]}</span>
              <Counts file={file} />
            </button>
            {isOpen ? <FilePatch issueId={issueId} changes={changes} file={file} layout={layout} /> : null}
          </li>
        );
      })}
    </ul>
  );
};

const pathText = ({ oldPath, path }: ChangedFile): string =>
  oldPath === null ? visible(path) : `${visible(oldPath)} → ${visible(path)}`;

const Counts = ({ file: { added, removed } }: { readonly file: ChangedFile }) =>
  added === null || removed === null ? (
    <span className="muted">binary</span>
  ) : (
    <span className="mono">
      <span className="issue-added">+{added}</span> <span className="issue-removed">−{removed}</span>
    </span>
  );

interface FilePatchProps extends ChangedFilesProps {
  readonly file: ChangedFile;
}

const FilePatch = ({ issueId, changes, file, layout }: FilePatchProps) => {
  const { repositoryId, base, head } = changes;
  const { path, oldPath } = file;
  // Two commits differ in the same way always, so that no event makes it be read again.
  const patch = useQuery({
    queryKey: ["patch", repositoryId, base, head, oldPath, path],
    queryFn: ({ signal }) =>
      call(
        "issues.diff",
        { issueId, repositoryId, path, ...(oldPath === null ? {} : { oldPath }) },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (patch.isPending) return <Skeleton rows={2} />;
  if (patch.isError) return <Problem error={patch.error} />;
  return <Patch patch={patch.data} label={`Changes of ${pathText(file)}`} layout={layout} />;
};
