import { type ReactNode, useRef, useState } from "react";
import type { AnswerOf } from "../../live/calls.ts";
import { Icon } from "../../widgets/icon.tsx";
import { locale } from "../../widgets/locale.ts";
import { OpeningRow } from "../../widgets/opening-row.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import { visible } from "../visible-text.ts";

export type ChangedFile = AnswerOf<"issues.changes">[number]["files"][number];

interface ChangedFilesProps {
  readonly files: readonly ChangedFile[];
  /** More differ than these. */
  readonly isCut: boolean;
  /** Stands in the row of a file. */
  readonly note?: (file: ChangedFile) => ReactNode;
  /** Stands behind the row of a file, and can be pressed. */
  readonly tool?: (file: ChangedFile) => ReactNode;
  /** The lines of a file, once it is opened. */
  readonly children: (file: ChangedFile) => ReactNode;
}

const statusLabels: Readonly<Record<ChangedFile["status"], string>> = {
  added: "added",
  modified: "modified",
  deleted: "deleted",
  renamed: "renamed",
  copied: "copied",
  type_changed: "type changed",
};

export const keyOfFile = ({ oldPath, path }: ChangedFile): string => `${oldPath ?? ""}\0${path}`;

/** The files that differ; each is opened for its lines. */
export const ChangedFiles = ({ files, isCut, note, tool, children }: ChangedFilesProps) => {
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(list, files, keyOfFile);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  return (
    <>
      <p className="muted">
        {isCut ? "More than " : ""}
        {files.length.toLocaleString(locale)} {files.length === 1 ? "file" : "files"}
      </p>
      <ul className="plain-list" aria-label="Changed files" ref={list}>
        {rows.shown.map(({ row: file, index, gap }) => {
          const key = keyOfFile(file);
          const isOpen = opened.has(key);
          return (
            <li key={key} {...rowProps(rows, { index, gap }, files.length)}>
              <div className="row">
                <OpeningRow isOpen={isOpen} onToggle={() => toggle(key)}>
                  <Icon name="file-text" />
                  <span className="grow cut mono">{pathText(file)}</span>
                  {note?.(file)}
                  <span className="muted">{statusLabels[file.status]}</span>
                  <Counts file={file} isCut={isCut} />
                </OpeningRow>
                {tool?.(file)}
              </div>
              {isOpen ? children(file) : null}
            </li>
          );
        })}
      </ul>
    </>
  );
};

export const pathText = ({ oldPath, path }: ChangedFile): string =>
  oldPath === null ? visible(path) : `${visible(oldPath)} → ${visible(path)}`;

const Counts = ({
  file: { added, removed },
  isCut,
}: {
  readonly file: ChangedFile;
  readonly isCut: boolean;
}) =>
  added === null || removed === null ? (
    // Of a list that is cut the lines may not have been counted.
    <span className="muted">{isCut ? "" : "binary"}</span>
  ) : (
    <span className="mono">
      <span className="changed-added">+{added}</span> <span className="changed-removed">−{removed}</span>
    </span>
  );
