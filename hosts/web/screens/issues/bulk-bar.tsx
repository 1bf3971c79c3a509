import { issueStatuses, priorities } from "../../../../core/issues/issue-status.ts";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { displayOf, priorityWord } from "../../parts/status.tsx";
import { unassigned, useAssignables } from "../../shell/assignees.ts";
import { mostAtOnce } from "../../shell/change-issues.ts";
import { useBulkChange } from "./use-bulk-change.ts";

type Issue = RowOf<"issues.list">;

interface BulkBarProps {
  readonly issues: readonly Issue[];
  readonly onClear: () => void;
}

/** Makes the same change to all chosen issues; shows refusals of single ones, changes the others. */
export const BulkBar = ({ issues, onClear }: BulkBarProps) => {
  const assignables = useAssignables();
  const { change, refused, error } = useBulkChange(issues, onClear);
  const nameOf = (id: string) => issues.find((issue) => issue.id === id)?.identifier ?? "An issue";
  const menu = (label: string, items: readonly MenuItem[]) => (
    <Menu
      label={`Change the ${label.toLowerCase()} of all chosen`}
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
  return (
    <div className="issues-bulk" role="toolbar" aria-label="Change the chosen issues">
      <span role="status">
        {issues.length > mostAtOnce
          ? `${mostAtOnce} of ${issues.length} chosen, as many as change at once`
          : `${issues.length} chosen`}
      </span>
      {menu(
        "Status",
        issueStatuses
          .filter((status) => status !== "in_progress")
          .map((status) => ({
            label: displayOf("issue", status).word,
            icon: displayOf("issue", status).icon,
            run: () => change({ status }),
          })),
      )}
      {menu("Assignee", [
        { label: "Nobody", run: () => change(unassigned) },
        ...assignables.map(({ kind, name, fields }) => ({
          label: name,
          mark: <Avatar kind={kind} name={name} />,
          run: () => change(fields),
        })),
      ])}
      {menu(
        "Priority",
        priorities.map((priority) => ({ label: priorityWord(priority), run: () => change({ priority }) })),
      )}
      <IconButton icon="x" label="Choose none" small onClick={onClear} />
      {error === null ? null : <Problem error={error} />}
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
