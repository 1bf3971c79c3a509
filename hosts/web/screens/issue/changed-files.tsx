import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { call } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { Problem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type LineNotes, Patch } from "../../parts/patch.tsx";
import type { ChosenLines } from "../../parts/patch-choice.tsx";
import { hasLine, readPatch } from "../../parts/patch-lines.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { rowProps, useVirtualRows } from "../../parts/virtual-rows.ts";
import { visible } from "../../parts/visible-text.ts";
import { useIssueMay } from "./issue-shown.ts";
import { type LineComment, LineComments, LineComposer } from "./line-comments.tsx";

type ChangedFile = IssueChanges["files"][number];

interface ChangedFilesProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
  readonly layout: "unified" | "sides";
  /** Those whose lines are in one of the files. */
  readonly comments: readonly LineComment[];
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
export const ChangedFiles = ({ issueId, changes, layout, comments }: ChangedFilesProps) => {
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
        const own = comments.filter((comment) => isOn(comment, file));
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
              {own.length === 0 ? null : (
                <span className="muted">
                  {own.length} {own.length === 1 ? "comment" : "comments"}
                </span>
              )}
              <span className="muted">{words[file.status]}</span>
              <Counts file={file} />
            </button>
            {isOpen ? (
              <FilePatch issueId={issueId} changes={changes} file={file} layout={layout} comments={own} />
            ) : null}
          </li>
        );
      })}
    </ul>
  );
};

/** Whether the lines of a comment are in a file: of the one that the issue has, or that it began from. */
export const isOn = ({ now, location: { side } }: LineComment, { oldPath, path }: ChangedFile): boolean =>
  now?.path === (side === "old" ? (oldPath ?? path) : path);

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

const FilePatch = ({ issueId, changes, file, layout, comments }: FilePatchProps) => {
  const { repositoryId, base, head } = changes;
  const { path, oldPath } = file;
  const mayComment = useIssueMay("comment").allowed;
  const [chosen, setChosen] = useState<ChosenLines | null>(null);
  const room = useRef<HTMLDivElement>(null);
  const notes = useMemo((): LineNotes => {
    const close = () => {
      setChosen(null);
      room.current?.querySelector<HTMLElement>("button[data-side][tabindex='0']")?.focus();
    };
    return {
      onChoose: mayComment ? setChosen : null,
      below: (side, line) => {
        const here = comments.filter(({ location, now }) => location.side === side && now?.endLine === line);
        const isChosen = chosen?.side === side && chosen.endLine === line;
        const commit = side === "old" ? base : head;
        return (
          <>
            {here.length === 0 ? null : <LineComments comments={here} />}
            {isChosen && commit !== null ? (
              <LineComposer
                issueId={issueId}
                location={{
                  ...chosen,
                  repositoryId,
                  commit,
                  path: side === "old" ? (oldPath ?? path) : path,
                }}
                onClose={close}
              />
            ) : null}
          </>
        );
      },
    };
  }, [issueId, repositoryId, base, head, path, oldPath, comments, chosen, mayComment]);
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
  const hunks = useMemo(() => readPatch(patch.data ?? ""), [patch.data]);
  const outside = comments.filter(
    ({ now, location }) => now === null || !hasLine(hunks ?? [], location.side, now.endLine),
  );
  if (patch.isPending) return <Skeleton rows={2} />;
  if (patch.isError) return <Problem error={patch.error} />;
  return (
    <div ref={room}>
      <Patch patch={patch.data} label={`Changes of ${pathText(file)}`} layout={layout} notes={notes} />
      {outside.length === 0 ? null : <LineComments comments={outside} />}
    </div>
  );
};
