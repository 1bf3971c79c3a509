import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { useAssignablesOf } from "../../nouns/issues/assignees.ts";
import { SelectField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import type { Entry } from "./entry.ts";

interface AssignDialogProps {
  readonly issue: NonNullable<Entry["issue"]>;
  readonly companyId: string;
  readonly onClose: () => void;
}

/** Gives an issue to an agent or a person. */
export const AssignDialog = ({ issue, companyId, onClose }: AssignDialogProps) => {
  const [chosen, setChosen] = useState("");
  const say = useToasts();
  const assignables = useAssignablesOf(companyId);
  const assignee = assignables.find(({ id }) => id === chosen);
  const assign = useWrite("issues.update", {
    onDone: () => {
      onClose();
      say.done(`${issue.identifier} assigned to ${assignee?.name}`);
    },
  });
  return (
    <FormDialog
      title={`Assign ${issue.identifier}: ${issue.title}`}
      verb="Assign"
      write={assign}
      onSubmit={() => {
        if (assignee === undefined) return;
        const { assigneeAgentId, assigneeUserId } = assignee.fields;
        assign.run({ issueId: issue.id, assigneeAgentId, assigneeUserId });
      }}
      onClose={onClose}
    >
      <SelectField
        label="Assignee"
        name="assignee"
        required
        value={chosen}
        onChange={setChosen}
        options={[
          { value: "", label: "Choose an agent or a person" },
          ...assignables.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </FormDialog>
  );
};
