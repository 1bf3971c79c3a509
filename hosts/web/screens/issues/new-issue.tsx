import { useState } from "react";
import { useLocation } from "wouter";
import { type AssigneeFields, assigneeOf, useAssignables } from "../../actions/assignees.ts";
import { type InputOf, useRead, useWrite } from "../../live/calls.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Combobox } from "../../parts/combobox.tsx";
import { useDraft } from "../../parts/drafts.ts";
import { Field, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { priorityOptions } from "../../parts/priority-options.ts";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";

type Chosen = Omit<InputOf<"issues.create">, "companyId" | "title" | "description">;

const isGivenTo = (fields: AssigneeFields, chosen: Chosen): boolean =>
  assigneeOf(fields) === (chosen.assigneeAgentId ?? chosen.assigneeUserId);

export const NewIssue = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const assignables = useAssignables();
  const { data: projects } = useRead("projects.list", { companyId });
  const [title, setTitle] = useDraft(`title of a new issue of ${companyId}`);
  const [description, setDescription] = useDraft(`description of a new issue of ${companyId}`);
  const [chosen, setChosen] = useState<Chosen>({ priority: "medium" });
  const assignee = assignables.find(({ fields }) => isGivenTo(fields, chosen));
  const create = useWrite("issues.create", {
    onDone: ({ identifier }) => {
      setTitle("");
      setDescription("");
      onClose();
      go(here(`/issues/${identifier}`));
      say.done(`${identifier} created${assignee?.kind === "agent" ? `; ${assignee.name} starts work` : ""}.`);
    },
  });
  return (
    <FormDialog
      title="New issue"
      verb="Create issue"
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          title,
          ...(description.trim() === "" ? {} : { description }),
          ...chosen,
        })
      }
      onClose={onClose}
    >
      <TextField label="Title" name="title" required maxLength={500} value={title} onChange={setTitle} />
      <TextArea
        label="Description"
        name="description"
        hint="Markdown. Describe the task and how to check that it is done."
        rows={5}
        value={description}
        onChange={setDescription}
      />
      <Field
        label="Assignee"
        name="assigneeAgentId"
        hint="An agent is woken at once, a person has it in the inbox. Without one it waits in the backlog."
      >
        {({ id }) => (
          <Combobox
            id={id}
            label="Assignee"
            options={assignables.map(({ id: value, kind, name }) => ({
              value,
              label: name,
              shown: <Actor kind={kind} name={name} />,
            }))}
            value={assignee?.id ?? null}
            onChange={(chosenId) =>
              setChosen({
                ...chosen,
                assigneeAgentId: undefined,
                assigneeUserId: undefined,
                ...assignables.find(({ id: each }) => each === chosenId)?.fields,
              })
            }
            placeholder="Nobody"
            clearable
          />
        )}
      </Field>
      <div className="issues-pair">
        <SelectField
          label="Priority"
          name="priority"
          options={priorityOptions}
          value={chosen.priority ?? "medium"}
          onChange={(priority) => setChosen({ ...chosen, priority })}
        />
        {projects === undefined || projects.items.length === 0 ? null : (
          <SelectField
            label="Project"
            name="projectId"
            options={[
              { value: "", label: "No project" },
              ...projects.items.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={chosen.projectId ?? ""}
            onChange={(projectId) => setChosen({ ...chosen, projectId: projectId || undefined })}
          />
        )}
      </div>
    </FormDialog>
  );
};
