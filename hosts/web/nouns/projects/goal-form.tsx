import { useState } from "react";
import type { GoalLevel, GoalStatus } from "../../../../core/model/goals/goal.ts";
import { type InputOf, type RowOf, usePages } from "../../live/calls.ts";
import { SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { AgentField } from "../agents/agent-field.tsx";
import { useCompany } from "../companies/company.tsx";
import { MarkdownField } from "../markdown-field.tsx";

export const goalStatusLabels: Readonly<Record<GoalStatus, string>> = {
  planned: "Planned",
  active: "Active",
  achieved: "Achieved",
  cancelled: "Cancelled",
};

export const goalLevelLabels: Readonly<Record<GoalLevel, string>> = {
  company: "Company",
  team: "Team",
  agent: "Agent",
  task: "Task",
};

const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

type Fields = Required<
  Pick<InputOf<"goals.create">, "title" | "description" | "level" | "status" | "parentId" | "ownerAgentId">
>;

interface GoalFormProps {
  readonly title: string;
  readonly verb: string;
  /** null: it does not exist yet. */
  readonly goal: RowOf<"goals.list"> | null;
  readonly write: { readonly busy: boolean; readonly error: unknown };
  readonly onSubmit: (fields: Fields) => void;
  readonly onClose: () => void;
}

/** The fields of a goal, to set one and to change one. */
export const GoalForm = ({ goal, onSubmit, title: heading, ...dialog }: GoalFormProps) => {
  const { id: companyId } = useCompany();
  const goals = usePages("goals.list", { companyId });
  const [title, setTitle] = useState(goal?.title ?? "");
  const [description, setDescription] = useState(goal?.description ?? "");
  const [level, setLevel] = useState<GoalLevel>(goal?.level ?? "team");
  const [status, setStatus] = useState<GoalStatus>(goal?.status ?? "planned");
  const [parentId, setParent] = useState(goal?.parentId ?? "");
  const [ownerAgentId, setOwner] = useState(goal?.ownerAgentId ?? null);
  return (
    <FormDialog
      title={heading}
      {...dialog}
      onSubmit={() =>
        onSubmit({
          title,
          description: description.trim() === "" ? null : description,
          level,
          status,
          parentId: parentId === "" ? null : parentId,
          ownerAgentId,
        })
      }
    >
      <TextField label="Title" name="title" required maxLength={500} value={title} onChange={setTitle} />
      <MarkdownField label="Description" name="description" value={description} onChange={setDescription} />
      <SelectField
        label="Level"
        name="level"
        value={level}
        onChange={setLevel}
        options={optionsOf(goalLevelLabels)}
      />
      <SelectField
        label="Status"
        name="status"
        value={status}
        onChange={setStatus}
        options={optionsOf(goalStatusLabels)}
      />
      <SelectField
        label="Parent goal"
        name="parentId"
        value={parentId}
        onChange={setParent}
        options={[
          { value: "", label: "No parent goal" },
          ...goals.rows
            .filter(({ id }) => id !== goal?.id)
            .map((each) => ({ value: each.id, label: each.title })),
        ]}
      />
      <AgentField
        label="Owner"
        name="ownerAgentId"
        value={ownerAgentId}
        onChange={setOwner}
        placeholder="No owner"
        clearable
      />
    </FormDialog>
  );
};
