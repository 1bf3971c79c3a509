import { useState } from "react";
import { issueStatuses, priorities } from "../../../../core/issues/issue-status.ts";
import { type AnswerOf, type InputOf, type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { IconButton } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { lookOf, priorityWord } from "../../parts/status.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany } from "../../shell/company.tsx";

type Issue = RowOf<"issues.list">;
type Results = AnswerOf<"issues.updateMany">;
type Change = Omit<InputOf<"issues.updateMany">, "companyId" | "issueIds">;

/** As many as one call takes. */
const mostAtOnce = 100;

interface BulkBarProps {
  readonly issues: readonly Issue[];
  readonly onClear: () => void;
}

/** Makes the same change to all chosen issues; shows refusals of single ones, changes the others. */
export const BulkBar = ({ issues, onClear }: BulkBarProps) => {
  const { id: companyId } = useCompany();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const say = useToasts();
  const [refused, setRefused] = useState<Results>([]);
  const update = useWrite("issues.updateMany", {
    onDone: (results) => {
      const failed = results.filter(({ refusal }) => refusal !== null);
      setRefused(failed);
      const changed = results.length - failed.length;
      if (changed > 0) say.done(changed === 1 ? "1 issue is changed." : `${changed} issues are changed.`);
      if (failed.length === 0) onClear();
    },
  });
  const change = (to: Change) =>
    update.run({ companyId, issueIds: issues.slice(0, mostAtOnce).map(({ id }) => id), ...to });
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
            label: lookOf("issue", status).word,
            icon: lookOf("issue", status).icon,
            run: () => change({ status }),
          })),
      )}
      {menu("Assignee", [
        { label: "Nobody", run: () => change({ assigneeAgentId: null }) },
        ...agents
          .filter(({ status }) => status !== "terminated" && status !== "pending_approval")
          .map(({ id, name }) => ({ label: name, run: () => change({ assigneeAgentId: id }) })),
      ])}
      {menu(
        "Priority",
        priorities.map((priority) => ({ label: priorityWord(priority), run: () => change({ priority }) })),
      )}
      <IconButton icon="x" label="Choose none" small onClick={onClear} />
      {update.error === null ? null : <Problem error={update.error} />}
      {refused.length === 0 ? null : (
        <ul className="issues-refused" role="alert">
          {refused.map(({ issueId, refusal }) => (
            <li key={issueId}>
              {nameOf(issueId)}: {refusal?.error}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
