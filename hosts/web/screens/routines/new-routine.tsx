import { useState } from "react";
import { useLocation } from "wouter";
import type { Priority } from "../../../../core/model/issues/issue-status.ts";
import { type InputOf, useRead, useWrite } from "../../live/calls.ts";
import { AgentField } from "../../nouns/agents/agent-field.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { priorityOptions } from "../../nouns/issues/priority-options.ts";
import { type Belonging, RoutineBelongs } from "../../nouns/routines/routine-belongs.tsx";
import { SchedulePicker } from "../../nouns/routines/schedule-picker.tsx";
import { ownZone, ZoneField, zoneNamed } from "../../nouns/routines/zone-field.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";

type NewFields = Omit<InputOf<"routines.create">, "companyId">;

/** The project of a routine: one that is there, or the name of the company's first. */
type ProjectChoice = { readonly id: string } | { readonly id: null; readonly name: string };

interface Schedule {
  /** Empty: none. */
  readonly cronExpression: string;
  readonly timezone: string;
}

/** A new routine and its first schedule; where that was refused, the next try adds it to the routine that is there. */
const useCreation = (onDone: (routineId: string) => void) => {
  const { id: companyId } = useCompany();
  const [made, setMade] = useState<string | null>(null);
  const makeProject = useWrite("projects.create");
  const create = useWrite("routines.create");
  const addTrigger = useWrite("routines.addTrigger");
  const schedule = (routineId: string, when: Schedule) => {
    if (when.cronExpression === "") return onDone(routineId);
    addTrigger.run(
      {
        routineId,
        kind: "schedule",
        cronExpression: when.cronExpression,
        timezone: zoneNamed(when.timezone),
      },
      { onSuccess: () => onDone(routineId) },
    );
  };
  const createIn = (projectId: string, fields: Omit<NewFields, "projectId">, when: Schedule) =>
    create.run(
      { companyId, projectId, ...fields },
      {
        onSuccess: ({ id }) => {
          setMade(id);
          schedule(id, when);
        },
      },
    );
  return {
    write: {
      busy: makeProject.busy || create.busy || addTrigger.busy,
      error: makeProject.error ?? create.error ?? addTrigger.error,
    },
    run: (project: ProjectChoice, fields: Omit<NewFields, "projectId">, when: Schedule) => {
      if (made !== null) return schedule(made, when);
      if (project.id !== null) return createIn(project.id, fields, when);
      makeProject.run(
        { companyId, name: project.name },
        { onSuccess: ({ id }) => createIn(id, fields, when) },
      );
    },
  };
};

/** The recurring task, its assignee, and when it recurs. */
export const NewRoutine = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const { data: projects } = useRead("projects.list", { companyId });
  const [title, setTitle] = useDraft(`title of a new routine of ${companyId}`);
  const [description, setDescription] = useDraft(`description of a new routine of ${companyId}`);
  const [assigneeAgentId, setAssignee] = useState<string | null>(null);
  const [projectId, setProject] = useState("");
  const [projectName, setProjectName] = useState("");
  const [belonging, setBelonging] = useState<Belonging>({ goalId: null, parentIssueId: null });
  const [priority, setPriority] = useState<Priority>("medium");
  const [when, setWhen] = useState<Schedule>({ cronExpression: "", timezone: ownZone });
  const creation = useCreation((routineId) => {
    setTitle("");
    setDescription("");
    onClose();
    go(here(`/routines/${routineId}`));
  });
  const hasProjects = projects === undefined || projects.items.length > 0;
  return (
    <FormDialog
      title="New routine"
      verb="Create routine"
      write={creation.write}
      disabled={assigneeAgentId === null}
      onSubmit={() =>
        creation.run(
          hasProjects ? { id: projectId } : { id: null, name: projectName },
          {
            title,
            assigneeAgentId: assigneeAgentId ?? "",
            priority,
            ...belonging,
            ...(description.trim() === "" ? {} : { description }),
          },
          when,
        )
      }
      onClose={onClose}
    >
      <TextField
        label="Title"
        name="title"
        hint="Title of the issues that it creates. Use {{date}} for the date and {{payload.name}} for a field of a webhook's payload."
        required
        value={title}
        onChange={setTitle}
      />
      <DescriptionField value={description} onChange={setDescription} />
      <AgentField
        label="Assignee"
        name="assigneeAgentId"
        value={assigneeAgentId}
        onChange={setAssignee}
        placeholder="Gets the issues this routine creates."
      />
      {hasProjects ? (
        <ProjectField projects={projects?.items ?? []} value={projectId} onChange={setProject} />
      ) : (
        <FirstProjectField value={projectName} onChange={setProjectName} />
      )}
      <ScheduleFields value={when} onChange={setWhen} />
      <RoutineBelongs value={belonging} onChange={setBelonging} />
      <SelectField
        label="Priority"
        name="priority"
        options={priorityOptions}
        value={priority}
        onChange={setPriority}
      />
    </FormDialog>
  );
};

interface ScheduleFieldsProps {
  readonly value: Schedule;
  readonly onChange: (value: Schedule) => void;
}

const ScheduleFields = ({ value, onChange }: ScheduleFieldsProps) => (
  <>
    <SchedulePicker
      none="No schedule"
      value={value.cronExpression}
      onChange={(cronExpression) => onChange({ ...value, cronExpression })}
    />
    {value.cronExpression === "" ? null : (
      <ZoneField value={value.timezone} onChange={(timezone) => onChange({ ...value, timezone })} />
    )}
  </>
);

const DescriptionField = ({ value, onChange }: Omit<ProjectFieldProps, "projects">) => (
  <TextArea
    label="Description"
    name="description"
    hint="Markdown. The task for each run."
    rows={5}
    value={value}
    onChange={onChange}
  />
);

interface ProjectFieldProps {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ProjectField = ({ projects, value, onChange }: ProjectFieldProps) => (
  <SelectField
    label="Project"
    name="projectId"
    required
    options={[
      { value: "", label: "Choose a project" },
      ...projects.map(({ id, name }) => ({ value: id, label: name })),
    ]}
    value={value}
    onChange={onChange}
  />
);

/** The name of the project to create, in a company that has none. */
const FirstProjectField = ({ value, onChange }: Omit<ProjectFieldProps, "projects">) => (
  <TextField
    label="Project"
    name="name"
    hint="Routines belong to a project. Name your first one."
    required
    value={value}
    onChange={onChange}
  />
);
