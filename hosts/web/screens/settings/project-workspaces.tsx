import { Link } from "wouter";
import { type RowOf, useRead } from "../../live/calls.ts";
import { Workspaces } from "../../nouns/code/workspaces.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { Problem } from "../../widgets/field.tsx";

type Project = RowOf<"projects.list">;

/** The workspaces of a project's issues, newest first. */
export const ProjectWorkspaces = ({ project }: { readonly project: Project }) => {
  const here = useHere();
  const workspaces = useRead("workspaces.list", { companyId: project.companyId, projectId: project.id });
  const rows = workspaces.data?.items ?? [];
  return (
    <>
      <h3>Issue workspaces</h3>
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
    </>
  );
};
