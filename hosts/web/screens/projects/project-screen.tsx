import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { Budget } from "../../nouns/companies/budgets.tsx";
import { useHere, useIssuePath } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { OpenIssues } from "../../nouns/issues/open-issues.tsx";
import { Progress } from "../../nouns/issues/progress.tsx";
import { Markdown } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { ProjectForm, projectStatusLabels } from "../../nouns/projects/project-form.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Fact } from "../../widgets/fact.tsx";
import { Problem } from "../../widgets/field.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { dayText } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { Gates } from "./gates.tsx";
import { ProjectWorkspaces } from "./project-workspaces.tsx";
import { Repositories } from "./repositories.tsx";

type Project = AnswerOf<"projects.get">;

/** One project: what it is for, how far it is, what it costs, and its issues. */
export const ProjectScreen = () => {
  const { project: projectId = "" } = useParams<{ project: string }>();
  const here = useHere();
  const issuePath = useIssuePath();
  const project = useRead("projects.get", { projectId });
  useOwnCompany(project.data);
  const crumbs = [{ label: "Projects", to: here("/projects") }];
  if (project.isPending || project.isError)
    return (
      <Page title="Project" crumbs={crumbs}>
        <Unread read={project} />
      </Page>
    );
  const { name, description } = project.data;
  return (
    <Page title={name} crumbs={crumbs} actions={<ProjectActions project={project.data} />}>
      <div className="sections">
        <InOrder>
          <ProjectFacts project={project.data} />
          {description === null || description.trim() === "" ? null : (
            <Markdown text={description} issuePath={issuePath} />
          )}
          <OpenIssues
            of={{ projectId: project.data.id }}
            mayCreate={project.data.callerMay.createIssue.allowed}
          />
          <Repositories project={project.data} />
          <Gates project={project.data} />
          <ProjectWorkspaces project={project.data} />
        </InOrder>
      </div>
    </Page>
  );
};

const ProjectFacts = ({ project }: { readonly project: Project }) => {
  const { id, companyId, name, status, leadAgentId, targetDate, pauseReason } = project;
  const here = useHere();
  const nameOf = useNames();
  const { data: progress = [] } = useRead("issues.progress", { companyId, by: "project", id });
  return (
    <dl className="facts-grid">
      <Fact name="Status">{projectStatusLabels[status]}</Fact>
      <Fact name="Progress">
        <Progress name={name} of={progress.find((each) => each.id === id)} />
      </Fact>
      <Fact name="Lead">
        {leadAgentId === null ? (
          <span className="faint">Unassigned</span>
        ) : (
          <Link href={here(`/agents/${leadAgentId}`)} className="in-text">
            <Actor {...nameOf(leadAgentId)} />
          </Link>
        )}
      </Fact>
      <Fact name="Target date">
        {targetDate === null ? <span className="faint">None</span> : dayText(targetDate)}
      </Fact>
      <Fact name="This month">
        <Money cents={project.spentMonthlyCents} />
        {pauseReason === null ? null : <span className="muted"> · over budget</span>}
      </Fact>
      <Fact name="Monthly budget">
        <Budget
          of={{ kind: "project", id, companyId, name }}
          cents={project.budgetMonthlyCents}
          spentCents={project.spentMonthlyCents}
          mayDecide={project.callerMay.setBudget.allowed}
        />
      </Fact>
    </dl>
  );
};

const ProjectActions = ({ project }: { readonly project: Project }) => {
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const [isEditing, setEditing] = useState(false);
  const [isArchiving, setArchiving] = useState(false);
  const projectId = project.id;
  const { name, description, status, leadAgentId, targetDate } = project;
  const update = useWrite("projects.update", {
    onDone: () => setEditing(false),
  });
  const archive = useWrite("projects.archive", {
    onDone: () => {
      go(here("/projects"));
      say.done(`${name} archived`);
    },
    onRefused: () => setArchiving(false),
  });
  const { update: mayUpdate, archive: mayArchive } = project.callerMay;
  if (project.archivedAt !== null) return <span className="muted">Archived</span>;
  return (
    <>
      {archive.error === null ? null : <Problem error={archive.error} />}
      {mayArchive.allowed ? <Button onClick={() => setArchiving(true)}>Archive</Button> : null}
      {mayUpdate.allowed ? (
        <Button icon="pencil" onClick={() => setEditing(true)}>
          Edit
        </Button>
      ) : null}
      {isEditing ? (
        <ProjectForm
          title="Edit project"
          verb="Save"
          project={project}
          write={update}
          onSubmit={(fields) =>
            update.run(
              { projectId, ...fields },
              {
                onSuccess: () =>
                  say.done(`${fields.name} updated`, () =>
                    update.run({ projectId, name, description, status, leadAgentId, targetDate }),
                  ),
              },
            )
          }
          onClose={() => setEditing(false)}
        />
      ) : null}
      {isArchiving ? (
        <ConfirmDialog
          title={`Archive ${name}?`}
          verb="Archive"
          busy={archive.busy}
          onConfirm={() => archive.run({ projectId })}
          onClose={() => setArchiving(false)}
        >
          It's no longer listed. This can't be undone. Its issues stay as they are.
        </ConfirmDialog>
      ) : null}
    </>
  );
};
