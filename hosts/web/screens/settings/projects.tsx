import { useState } from "react";
import type { ProjectStatus } from "../../../../core/projects/project.ts";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { AddByName } from "../../parts/add-by-name.tsx";
import { Budget } from "../../parts/budgets.tsx";
import { IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/field.tsx";
import { Money } from "../../parts/money.tsx";
import { useNames } from "../../parts/names.ts";
import { Status } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useCompany, useMayHere } from "../../shell/company.tsx";
import { Section } from "./section.tsx";

type Project = RowOf<"projects.list">;

const statusWords: Readonly<Record<ProjectStatus, string>> = {
  backlog: "Backlog",
  planned: "Planned",
  in_progress: "In progress",
  completed: "Completed",
  cancelled: "Cancelled",
};

/** The projects of a company; the status is a word for people. */
export const Projects = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("createProject");
  const say = useToasts();
  const [archiving, setArchiving] = useState<Project | null>(null);
  const projects = useRead("projects.list", { companyId });
  const create = useWrite("projects.create");
  const update = useWrite("projects.update");
  const archive = useWrite("projects.archive", {
    onDone: () => setArchiving(null),
    onRefused: () => setArchiving(null),
  });
  const move: TableProps["onMove"] = ({ id, name, status }, to) =>
    update.run(
      { projectId: id, status: to },
      {
        onSuccess: () =>
          say.done(`${name} is ${statusWords[to].toLowerCase()}.`, () =>
            update.run({ projectId: id, status }),
          ),
      },
    );
  const rows = projects.data?.items ?? [];
  const error = projects.error ?? update.error ?? archive.error;
  return (
    <Section title="Projects">
      {error === null ? null : <Problem error={error} />}
      {projects.isSuccess && rows.length === 0 ? <p className="faint">No project yet.</p> : null}
      {rows.length === 0 ? null : (
        <ProjectTable rows={rows} mayWork={mayWork} onMove={move} onArchive={setArchiving} />
      )}
      {mayWork ? (
        <AddByName
          label="Add a project"
          field="Name of a new project"
          write={create}
          onAdd={(name) => create.runAndWait({ companyId, name })}
        />
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

interface TableProps {
  readonly rows: readonly Project[];
  readonly mayWork: boolean;
  readonly onMove: (project: Pick<Project, "id" | "name" | "status">, to: ProjectStatus) => void;
  readonly onArchive: (project: Project) => void;
}

const ProjectTable = ({ rows, mayWork, onMove, onArchive }: TableProps) => {
  const nameOf = useNames();
  return (
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
          cell: ({ id, name: named, status, callerMay }: Project) =>
            callerMay.update.allowed ? (
              <select
                className="input"
                aria-label={`Status of ${named}`}
                value={status}
                onChange={({ target }) => onMove({ id, name: named, status }, target.value as ProjectStatus)}
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
          wideOnly: true,
          cell: (project: Project) => (
            <Budget
              of={{ kind: "project", id: project.id, companyId: project.companyId, name: project.name }}
              cents={project.budgetMonthlyCents}
              spentCents={project.spentMonthlyCents}
              mayDecide={project.callerMay.setBudget.allowed}
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
                    onClick={() => onArchive(project)}
                  />
                ),
              },
            ]
          : []),
      ]}
    />
  );
};
