import { usePages } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { useHere } from "../../shell/company.tsx";

/** The runs of an issue, newest first. */
export const IssueRuns = ({ issue }: { readonly issue: Issue }) => {
  const here = useHere();
  const runs = usePages("runs.ofIssue", { issueId: issue.id, limit: 5 });
  if (runs.isError) return <Problem error={runs.error} />;
  if (runs.rows.length === 0) return null;
  return (
    <section aria-labelledby="issue-runs" className="issue-section">
      <h3 id="issue-runs">Runs</h3>
      <RunTable
        label="Runs of the issue"
        runs={runs.rows}
        pathOf={(runId) => here(`/runs/${runId}`)}
        withIssue={false}
      />
      {runs.hasNextPage ? (
        <Button small busy={runs.isFetchingNextPage} onClick={runs.more ?? undefined}>
          Show earlier runs
        </Button>
      ) : null}
    </section>
  );
};
