import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Workspaces } from "../../nouns/code/workspaces.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { Problem } from "../../widgets/field.tsx";

/** The workspaces of an issue, where it has any: its own, and those of other agents on it. */
export const IssueWorkspaces = ({ issue: { id: issueId, companyId } }: { readonly issue: Issue }) => {
  const here = useHere();
  const nameOf = useNames();
  const workspaces = useRead("workspaces.list", { companyId, issueId });
  if (workspaces.isError) return <Problem error={workspaces.error} />;
  const rows = workspaces.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="issue-workspaces" className="issue-section">
      <h3 id="issue-workspaces">Workspaces</h3>
      <Workspaces
        label="Workspaces of the issue"
        workspaces={rows}
        titleOf={({ agentId }) =>
          agentId === null ? (
            "The issue's own"
          ) : (
            <Link href={here(`/agents/${agentId}`)} className="quiet-link">
              {nameOf(agentId).name}
            </Link>
          )
        }
      />
    </section>
  );
};
