import { useState } from "react";
import type { ProjectStatus } from "../../../../core/model/projects/project.ts";
import type { InputOf, RowOf } from "../../live/calls.ts";
import { SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { AgentField } from "../agents/agent-field.tsx";
import { MarkdownField } from "../markdown-field.tsx";

export const projectStatusLabels: Readonly<Record<ProjectStatus, string>> = {
  backlog: "Backlog",
  planned: "Planned",
  in_progress: "In progress",
  completed: "Completed",
  cancelled: "Cancelled",
};

type Fields = Required<
  Pick<InputOf<"projects.create">, "name" | "description" | "status" | "leadAgentId" | "targetDate">
>;

interface ProjectFormProps {
  readonly title: string;
  readonly verb: string;
  /** null: it does not exist yet. */
  readonly project: RowOf<"projects.list"> | null;
  readonly write: { readonly busy: boolean; readonly error: unknown };
  readonly onSubmit: (fields: Fields) => void;
  readonly onClose: () => void;
}

/** The fields of a project, to begin one and to change one. Its budget is changed where it is shown. */
export const ProjectForm = ({ project, onSubmit, ...dialog }: ProjectFormProps) => {
  const [name, setName] = useState(project?.name ?? "");
  const [description, setDescription] = useState(project?.description ?? "");
  const [status, setStatus] = useState<ProjectStatus>(project?.status ?? "planned");
  const [leadAgentId, setLead] = useState(project?.leadAgentId ?? null);
  const [targetDate, setTargetDate] = useState(project?.targetDate ?? "");
  return (
    <FormDialog
      {...dialog}
      onSubmit={() =>
        onSubmit({
          name,
          description: description.trim() === "" ? null : description,
          status,
          leadAgentId,
          targetDate: targetDate === "" ? null : targetDate,
        })
      }
    >
      <TextField label="Name" name="name" required maxLength={500} value={name} onChange={setName} />
      <MarkdownField label="Description" name="description" value={description} onChange={setDescription} />
      <SelectField
        label="Status"
        name="status"
        value={status}
        onChange={setStatus}
        options={(Object.keys(projectStatusLabels) as ProjectStatus[]).map((value) => ({
          value,
          label: projectStatusLabels[value],
        }))}
      />
      <AgentField
        label="Lead"
        name="leadAgentId"
        value={leadAgentId}
        onChange={setLead}
        placeholder="No lead"
        clearable
      />
      <TextField
        label="Target date"
        name="targetDate"
        type="date"
        value={targetDate}
        onChange={setTargetDate}
      />
    </FormDialog>
  );
};
