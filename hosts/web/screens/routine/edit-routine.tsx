import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { AgentField } from "../../nouns/agents/agent-field.tsx";
import { useCompany } from "../../nouns/companies/company.tsx";
import { priorityOptions } from "../../nouns/issues/priority-options.ts";
import { RoutineBelongs } from "../../nouns/routines/routine-belongs.tsx";
import { SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { catchUpLabels, concurrencyLabels, optionsOf } from "./policy-labels.ts";

/** Changes the definition. Refused where somebody else has changed the routine since the dialog opened. */
export const EditRoutine = ({
  begun,
  onClose,
}: {
  readonly begun: Routine;
  readonly onClose: () => void;
}) => {
  const { id: companyId } = useCompany();
  const { data: projects } = useRead("projects.list", { companyId });
  // As it was when the dialog opened: what events bring meanwhile does not change what is typed.
  const [first] = useState(begun);
  const [fields, setFields] = useState({
    title: first.title,
    description: first.description ?? "",
    assigneeAgentId: first.assigneeAgentId,
    projectId: first.projectId,
    priority: first.priority,
    concurrencyPolicy: first.concurrencyPolicy,
    catchUpPolicy: first.catchUpPolicy,
    goalId: first.goalId,
    parentIssueId: first.parentIssueId,
  });
  const set = (change: Partial<typeof fields>) => setFields({ ...fields, ...change });
  const save = useWrite("routines.update", { onDone: onClose });
  return (
    <FormDialog
      title="Edit routine"
      verb="Save"
      wide
      write={save}
      onSubmit={() =>
        save.run({
          routineId: first.id,
          baseRevisionId: first.latestRevisionId,
          ...fields,
          description: fields.description || null,
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Title"
        name="title"
        hint="Use {{date}} for the date and {{payload.name}} for a field of a webhook's payload."
        required
        value={fields.title}
        onChange={(title) => set({ title })}
      />
      <TextArea
        label="Description"
        name="description"
        rows={6}
        value={fields.description}
        onChange={(description) => set({ description })}
      />
      <AgentField
        label="Assignee"
        name="assigneeAgentId"
        value={fields.assigneeAgentId}
        onChange={(value) => value !== null && set({ assigneeAgentId: value })}
      />
      <SelectField
        label="Project"
        name="projectId"
        options={(projects?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={fields.projectId}
        onChange={(projectId) => set({ projectId })}
      />
      <RoutineBelongs value={fields} onChange={set} />
      <Policies value={fields} onChange={set} />
    </FormDialog>
  );
};

interface PoliciesProps {
  readonly value: Pick<Routine, "priority" | "concurrencyPolicy" | "catchUpPolicy">;
  readonly onChange: (change: Partial<PoliciesProps["value"]>) => void;
}

const Policies = ({ value, onChange }: PoliciesProps) => (
  <>
    <SelectField
      label="Priority"
      name="priority"
      options={priorityOptions}
      value={value.priority}
      onChange={(priority) => onChange({ priority })}
    />
    <SelectField
      label="Overlapping runs"
      name="concurrencyPolicy"
      options={optionsOf(concurrencyLabels)}
      value={value.concurrencyPolicy}
      onChange={(concurrencyPolicy) => onChange({ concurrencyPolicy })}
    />
    <SelectField
      label="Missed runs"
      name="catchUpPolicy"
      options={optionsOf(catchUpLabels)}
      value={value.catchUpPolicy}
      onChange={(catchUpPolicy) => onChange({ catchUpPolicy })}
    />
  </>
);
