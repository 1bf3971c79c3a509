import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type RowOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { mostAtOnce } from "../../nouns/issues/change-issues.ts";
import { useIssueFields } from "../../nouns/issues/issue-fields.tsx";
import { LabelDot } from "../../nouns/issues/label-dot.tsx";
import { PartOfDialog } from "../../nouns/issues/part-of-dialog.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu, type MenuItem } from "../../widgets/menu.tsx";
import { useBulkChange } from "./use-bulk-change.ts";

type Issue = RowOf<"issues.list">;

interface BulkBarProps {
  readonly issues: readonly Issue[];
  readonly onClear: () => void;
}

interface BulkMenu {
  readonly label: string;
  readonly key: string | undefined;
  readonly items: readonly MenuItem[];
}

/** The fields that several issues get at once, labels included. */
const useBulkMenus = (
  issues: readonly Issue[],
  change: ReturnType<typeof useBulkChange>["change"],
): readonly BulkMenu[] => {
  const { id: companyId } = useCompany();
  const fields = useIssueFields(companyId);
  const { data: labels = [] } = useRead("labels.list", { companyId });
  const menus = fields.map(
    ({ key, label, choices }): BulkMenu => ({
      label,
      key,
      items: choices
        .filter(({ onlySingle }) => !onlySingle)
        .map(({ label: to, icon, mark, changes, done }) => ({
          label: to,
          ...(mark === undefined ? { icon } : { mark }),
          run: () => change(changes, done),
        })),
    }),
  );
  if (labels.length === 0) return menus;
  const having = (id: string) =>
    issues.filter((issue) => issue.labels?.some((label) => label.id === id)).length;
  const items = labels.flatMap(({ id, name, color }): MenuItem[] => [
    ...(having(id) === issues.length
      ? []
      : [
          {
            label: `Add ${name}`,
            mark: <LabelDot color={color} />,
            run: () => change({ addLabelIds: [id] }, (subject) => `${name} added to ${subject}`),
          },
        ]),
    ...(having(id) === 0
      ? []
      : [
          {
            label: `Remove ${name}`,
            mark: <LabelDot color={color} />,
            run: () => change({ removeLabelIds: [id] }, (subject) => `${name} removed from ${subject}`),
          },
        ]),
  ]);
  return [...menus, { label: "Labels", key: "l", items }];
};

/** Makes all chosen issues parts of one. */
const ParentOfAll = ({
  issues,
  onChoose,
}: {
  readonly issues: readonly Issue[];
  readonly onChoose: (parentId: string | null) => void;
}) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small title="Change the parent of the selected issues" onClick={() => setOpen(true)}>
        Parent issue
      </Button>
      {isOpen ? (
        <PartOfDialog
          title="Set a parent for the selected issues"
          none={issues.some(({ parentId }) => parentId !== null) ? "No issue" : null}
          without={issues.map(({ id }) => id)}
          onChoose={onChoose}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};

/** Toasts stand above the bar, whose refusals are to be read. */
const useToastsAbove = (bar: RefObject<HTMLElement | null>) =>
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) =>
      style.setProperty("--bar-height", `${entry!.borderBoxSize[0]!.blockSize}px`),
    );
    observer.observe(bar.current!);
    return () => {
      observer.disconnect();
      style.removeProperty("--bar-height");
    };
  }, [bar]);

/** Makes the same change to all chosen issues; shows refusals of single ones, changes the others. */
export const BulkBar = ({ issues, onClear }: BulkBarProps) => {
  const { change, refused, waiting, start, busy, error } = useBulkChange(issues, onClear);
  const menus = useBulkMenus(issues, change);
  const toolbar = useRef<HTMLDivElement>(null);
  useToastsAbove(toolbar);
  const nameOf = (id: string) => issues.find((issue) => issue.id === id)?.identifier ?? "An issue";
  return (
    <div ref={toolbar} className="issues-bulk" role="toolbar" aria-label="Edit selected issues">
      <span role="status">
        {issues.length > mostAtOnce
          ? `${mostAtOnce} of ${issues.length} selected (the maximum)`
          : `${issues.length} selected`}
      </span>
      {menus.map(({ key, label, items }) => {
        const does = `Change the ${label.toLowerCase()} of the selected issues`;
        return (
          <Menu
            key={label}
            label={does}
            opensBy={key === undefined ? undefined : { keys: key, does }}
            className="button small"
            button={
              <>
                {label}
                <Icon name="chevron-down" size={14} />
              </>
            }
            items={items}
          />
        );
      })}
      <ParentOfAll
        issues={issues}
        onChoose={(parentId) =>
          change({ parentId }, (subject) =>
            parentId === null ? `${subject} removed from the parent issue` : `Parent issue of ${subject} set`,
          )
        }
      />
      <IconButton icon="x" label="Clear selection" small onClick={onClear} />
      {error === null ? null : <Problem error={error} />}
      {waiting.length === 0 ? null : (
        <div className="issues-stay row-wrap" role="status">
          <span className="grow">
            {waiting.length === 1 ? "1 stays" : `${waiting.length} stay`} in the backlog, where nobody begins
            with {waiting.length === 1 ? "it" : "them"}.
          </span>
          <Button small busy={busy} onClick={start}>
            Start {waiting.length === 1 ? "it" : "them"}
          </Button>
          <Button small onClick={onClear}>
            Leave {waiting.length === 1 ? "it" : "them"} there
          </Button>
        </div>
      )}
      {refused.length === 0 ? null : (
        <div className="issues-refused" role="alert">
          <ul className="plain-list">
            {refused.map(({ issueId, refusal }) => (
              <li key={issueId}>
                {nameOf(issueId)}: {refusal?.error}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
};
