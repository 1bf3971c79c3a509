import { useState } from "react";
import { Link, useLocation } from "wouter";
import { type RowOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { Budget } from "../../nouns/companies/budgets.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { Progress } from "../../nouns/issues/progress.tsx";
import { useNames } from "../../nouns/names.ts";
import { ProjectForm, projectStatusLabels } from "../../nouns/projects/project-form.tsx";
import { useArchivedFilter } from "../../widgets/archived-filter.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { Table } from "../../widgets/table.tsx";
import { dayText } from "../../widgets/time.tsx";

type Project = RowOf<"projects.list">;

/** The projects of the company, with how far each is and what it costs. */
export const ProjectsScreen = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("createProject");
  const here = useHere();
  const [, go] = useLocation();
  const [isMaking, setMaking] = useState(false);
  const { archived, menu } = useArchivedFilter();
  const projects = usePages("projects.list", { companyId, archived });
  const create = useWrite("projects.create", { onDone: ({ id }) => go(here(`/projects/${id}`)) });
  const newProject = mayWork ? (
    <Button kind="main" icon="plus" onClick={() => setMaking(true)}>
      New project
    </Button>
  ) : undefined;
  return (
    <Page title="Projects" actions={newProject}>
      {menu}
      <Pages
        of={projects}
        empty={
          <Empty icon="folder" title="No projects yet">
            Projects group related issues, with their own budget and repositories.
          </Empty>
        }
      >
        <ProjectTable rows={projects.rows} />
      </Pages>
      {isMaking ? (
        <ProjectForm
          title="New project"
          verb="Create project"
          project={null}
          write={create}
          onSubmit={(fields) => create.run({ companyId, ...fields })}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </Page>
  );
};

const ProjectTable = ({ rows }: { readonly rows: readonly Project[] }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const nameOf = useNames();
  const { data: progress = [] } = useRead("issues.progress", { companyId, by: "project" });
  return (
    <Table
      label="Projects"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "name",
          title: "Name",
          grows: true,
          cell: ({ id, name }: Project) => (
            <Link href={here(`/projects/${id}`)} className="cut table-title">
              {name}
            </Link>
          ),
        },
        {
          key: "progress",
          title: "Progress",
          cell: ({ id, name }: Project) => (
            <Progress name={name} of={progress.find((each) => each.id === id)} />
          ),
        },
        {
          key: "status",
          title: "Status",
          wideOnly: true,
          cell: ({ status, pauseReason, archivedAt }: Project) =>
            archivedAt !== null
              ? "Archived"
              : pauseReason === null
                ? projectStatusLabels[status]
                : "Over budget",
        },
        {
          key: "lead",
          title: "Lead",
          wideOnly: true,
          cell: ({ leadAgentId }: Project) => (leadAgentId === null ? "" : nameOf(leadAgentId).name),
        },
        {
          key: "target",
          title: "Target date",
          wideOnly: true,
          cell: ({ targetDate }: Project) => (targetDate === null ? "" : dayText(targetDate)),
        },
        {
          key: "spent",
          title: "This month",
          align: "end",
          wideOnly: true,
          cell: ({ spentMonthlyCents }: Project) => <Money cents={spentMonthlyCents} />,
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
      ]}
    />
  );
};
