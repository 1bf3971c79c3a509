import { useState } from "react";
import { useLocation } from "wouter";
import type { Priority } from "../../../../core/model/issues/issue-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import { AgentField } from "../../nouns/agents/agent-field.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { priorityOptions } from "../../nouns/issues/priority-options.ts";
import { type Belonging, RoutineBelongs } from "../../nouns/routines/routine-belongs.tsx";
import { SchedulePicker } from "../../nouns/routines/schedule-picker.tsx";
import { ownZone, ZoneField, zoneNamed } from "../../nouns/routines/zone-field.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";

interface Schedule {
  /** Empty: none. */
  readonly cronExpression: string;
  readonly timezone: string;
}

/** Adds the first schedule to a new routine; where that was refused, the next try adds it to the routine that is there. */
const useFirstSchedule = (onDone: (routineId: string) => void) => {
  const [made, setMade] = useState<string | null>(null);
  const addTrigger = useWrite("routines.addTrigger");
  const add = (routineId: string, { cronExpression, timezone }: Schedule) => {
    setMade(routineId);
    if (cronExpression === "") return onDone(routineId);
    addTrigger.run(
      { routineId, kind: "schedule", cronExpression, timezone: zoneNamed(timezone) },
      { onSuccess: () => onDone(routineId) },
    );
  };
  return { made, add, busy: addTrigger.busy, error: addTrigger.error };
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
  const makeProject = useWrite("projects.create");
  const create = useWrite("routines.create");
  const schedule = useFirstSchedule((routineId) => {
    setTitle("");
    setDescription("");
    onClose();
    go(here(`/routines/${routineId}`));
  });
  const hasProjects = projects === undefined || projects.items.length > 0;
  const createIn = (project: string) =>
    create.run(
      {
        companyId,
        title,
        assigneeAgentId: assigneeAgentId ?? "",
        projectId: project,
        priority,
        ...belonging,
        ...(description.trim() === "" ? {} : { description }),
      },
      { onSuccess: ({ id }) => schedule.add(id, when) },
    );
  return (
    <FormDialog
      title="New routine"
      verb="Create routine"
      write={{
        busy: create.busy || makeProject.busy || schedule.busy,
        error: create.error ?? makeProject.error ?? schedule.error,
      }}
      disabled={assigneeAgentId === null}
      onSubmit={() => {
        if (schedule.made !== null) schedule.add(schedule.made, when);
        else if (hasProjects) createIn(projectId);
        else makeProject.run({ companyId, name: projectName }, { onSuccess: ({ id }) => createIn(id) });
      }}
      onClose={onClose}
    >
      <TitleField value={title} onChange={setTitle} />
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

const TitleField = ({ value, onChange }: Omit<ProjectFieldProps, "projects">) => (
  <TextField
    label="Title"
    name="title"
    hint="Title of the issues that it creates. Use {{date}} for the date and {{payload.name}} for a field of a webhook's payload."
    required
    value={value}
    onChange={onChange}
  />
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
