import { Link } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Workspaces } from "../../nouns/code/workspaces.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";

type Project = AnswerOf<"projects.get">;

/** The workspaces of a project's issues, newest first. */
export const ProjectWorkspaces = ({ project }: { readonly project: Project }) => {
  const here = useHere();
  const workspaces = useRead("workspaces.list", { companyId: project.companyId, projectId: project.id });
  const rows = workspaces.data?.items ?? [];
  return (
    <Section title="Issue workspaces">
      {workspaces.error === null ? null : <Problem error={workspaces.error} />}
      {workspaces.isSuccess && rows.length === 0 ? <p className="faint">No workspaces yet</p> : null}
      {rows.length === 0 ? null : (
        <Workspaces
          label={`Workspaces of ${project.name}`}
          workspaces={rows}
          titleOf={({ issueIdentifier, issueTitle, agentId }) => (
            <>
              <Link href={here(`/issues/${issueIdentifier}`)} className="quiet-link">
                {issueIdentifier} {issueTitle}
              </Link>
              {agentId === null ? null : <span className="faint"> · of a second agent</span>}
            </>
          )}
        />
      )}
    </Section>
  );
};
