import { useState } from "react";
import type { ProjectStatus } from "../../../../core/projects/project.ts";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { ProjectBudget } from "../../parts/budgets.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Form, Problem, TextField } from "../../parts/field.tsx";
import { Money } from "../../parts/money.tsx";
import { Status } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";
import { Section } from "./section.tsx";

type Project = RowOf<"projects.list">;

const statusWords: Readonly<Record<ProjectStatus, string>> = {
  backlog: "Backlog",
  planned: "Planned",
  in_progress: "In progress",
  completed: "Completed",
  cancelled: "Cancelled",
};

/** What issues belong to; the status is a word for people. */
export const Projects = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("operator");
  const nameOf = useNames();
  const [name, setName] = useState("");
  const [archiving, setArchiving] = useState<Project | null>(null);
  const projects = useRead("projects.list", { companyId });
  const create = useWrite("projects.create", { onDone: () => setName("") });
  const update = useWrite("projects.update");
  const archive = useWrite("projects.archive", {
    onDone: () => setArchiving(null),
    onRefused: () => setArchiving(null),
  });
  const rows = projects.data?.items ?? [];
  const error = projects.error ?? update.error ?? archive.error;
  return (
    <Section title="Projects">
      {error === null ? null : <Problem error={error} />}
      {projects.isSuccess && rows.length === 0 ? <p className="faint">No project yet.</p> : null}
      {rows.length === 0 ? null : (
        <Table
          label="Projects"
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { key: "name", title: "Name", grows: true, cell: (project: Project) => project.name },
            {
              key: "lead",
              title: "Lead",
              wideOnly: true,
              cell: ({ leadAgentId }: Project) => (leadAgentId === null ? "" : nameOf(leadAgentId).name),
            },
            {
              key: "status",
              title: "Status",
              cell: ({ id, name: named, status }: Project) =>
                mayWork ? (
                  <select
                    className="input"
                    aria-label={`Status of ${named}`}
                    value={status}
                    onChange={({ target }) =>
                      update.run({ projectId: id, status: target.value as ProjectStatus })
                    }
                  >
                    {Object.entries(statusWords).map(([each, word]) => (
                      <option key={each} value={each}>
                        {word}
                      </option>
                    ))}
                  </select>
                ) : (
                  <Status of="other" status={status} />
                ),
            },
            {
              key: "spent",
              title: "Spent this month",
              align: "end",
              wideOnly: true,
              cell: ({ spentMonthlyCents, pauseReason }: Project) => (
                <>
                  <Money cents={spentMonthlyCents} />
                  {pauseReason === null ? null : <span className="muted"> · stopped</span>}
                </>
              ),
            },
            {
              key: "budget",
              title: "Monthly budget",
              align: "end",
              cell: (project: Project) => (
                <ProjectBudget
                  projectId={project.id}
                  name={project.name}
                  cents={project.budgetMonthlyCents}
                  spentCents={project.spentMonthlyCents}
                  mayDecide={mayWork}
                />
              ),
            },
            ...(mayWork
              ? [
                  {
                    key: "archive",
                    title: "Archive",
                    align: "end" as const,
                    cell: (project: Project) => (
                      <IconButton
                        icon="archive"
                        small
                        label={`Archive ${project.name}`}
                        onClick={() => setArchiving(project)}
                      />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      {mayWork ? (
        <Form label="Add a project" error={create.error} onSubmit={() => create.run({ companyId, name })}>
          <div className="row">
            <div className="grow">
              <TextField
                label="Name of a new project"
                bare
                name="name"
                required
                placeholder="Name of a new project"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            <Button type="submit" busy={create.busy} disabled={name.trim() === ""}>
              Add
            </Button>
          </div>
        </Form>
      ) : null}
      {archiving === null ? null : (
        <ConfirmDialog
          title={`Archive ${archiving.name}?`}
          verb="Archive"
          busy={archive.busy}
          onConfirm={() => archive.run({ projectId: archiving.id })}
          onClose={() => setArchiving(null)}
        >
          It is no longer listed, and there is no way back. Its issues stay as they are.
        </ConfirmDialog>
      )}
    </Section>
  );
};
