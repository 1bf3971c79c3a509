import { useState } from "react";
import { type InputOf, useRead } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { useCompany } from "../companies/company.tsx";
import type { Changeable } from "./change-issues.ts";
import { type IssueField, useIssueFields } from "./issue-fields.tsx";
import { LabelDot } from "./label-dot.tsx";
import { PartOfDialog } from "./part-of-dialog.tsx";

export type NewIssueFields = Omit<InputOf<"issues.create">, "companyId" | "title" | "description">;

interface PropertiesProps {
  readonly fields: NewIssueFields;
  readonly onChange: (changes: NewIssueFields) => void;
  readonly labelIds: readonly string[];
  readonly onLabels: (labelIds: readonly string[]) => void;
}

/** The properties of a new issue, each a button with its value, and what follows from them. */
export const NewIssueProperties = ({ fields, onChange, labelIds, onLabels }: PropertiesProps) => {
  const { id: companyId } = useCompany();
  const isAssigned = (fields.assigneeAgentId ?? fields.assigneeUserId ?? null) !== null;
  const status = fields.status ?? (isAssigned ? "todo" : "backlog");
  const issue = { id: "", companyId, identifier: "", ...fields, status } as Changeable;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together */}
      <div role="group" aria-label="Properties" className="row-wrap">
        {useIssueFields(companyId).map((field) => (
          <Property key={field.name} field={field} issue={issue} onChange={onChange} />
        ))}
        <Labels chosen={labelIds} onChange={onLabels} />
        <Parent id={fields.parentId ?? null} onChange={(parentId) => onChange({ parentId })} />
      </div>
      <p className="field-hint">
        {fields.assigneeAgentId === undefined || fields.assigneeAgentId === null
          ? "Agents start right away. Unassigned issues go to the backlog."
          : status === "backlog"
            ? "Nobody starts an issue in the backlog."
            : "The agent starts right away."}
      </p>
    </>
  );
};

interface PropertyProps {
  readonly field: IssueField;
  readonly issue: Changeable;
  readonly onChange: PropertiesProps["onChange"];
}

const Property = ({ field: { label, choices }, issue, onChange }: PropertyProps) => {
  const chosen = choices.find(({ isOf }) => isOf(issue)) ?? choices[0]!;
  return (
    <Menu
      label={label}
      className="button small"
      button={
        <>
          {chosen.mark ?? <Icon name={chosen.icon} />}
          <span className="cut">{chosen.label}</span>
        </>
      }
      items={choices
        .filter(({ onlyLater }) => onlyLater !== true)
        .map((choice) => ({
          label: choice.label,
          ...(choice.mark === undefined ? { icon: choice.icon } : { mark: choice.mark }),
          isChosen: choice === chosen,
          run: () => onChange(choice.changes),
        }))}
    />
  );
};

interface LabelsProps {
  readonly chosen: readonly string[];
  readonly onChange: (labelIds: readonly string[]) => void;
}

/** Nothing where the company has no labels. */
const Labels = ({ chosen, onChange }: LabelsProps) => {
  const { id: companyId } = useCompany();
  const { data: known = [] } = useRead("labels.list", { companyId });
  if (known.length === 0) return null;
  const names = known.filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
  return (
    <Menu
      label="Labels"
      className="button small"
      button={
        <>
          <Icon name="tag" />
          <span className="cut">{names.length === 0 ? "No labels" : names.join(", ")}</span>
        </>
      }
      items={known.map(({ id, name, color }) => ({
        label: name,
        mark: <LabelDot color={color} />,
        isChosen: chosen.includes(id),
        run: () => onChange(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]),
      }))}
    />
  );
};

interface ParentProps {
  readonly id: string | null;
  readonly onChange: (parentId: string | null) => void;
}

const Parent = ({ id, onChange }: ParentProps) => {
  const [isOpen, setOpen] = useState(false);
  const { data } = useRead("issues.get", { issueId: id ?? "" }, { enabled: id !== null });
  return (
    <>
      <Button small icon="circle-dot" title="Parent issue" onClick={() => setOpen(true)}>
        {id === null ? "No parent issue" : `Sub-issue of ${data?.identifier ?? "…"}`}
      </Button>
      {isOpen ? (
        <PartOfDialog
          title="Choose a parent issue"
          none={id === null ? null : "No parent issue"}
          without={[]}
          onChoose={onChange}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};
