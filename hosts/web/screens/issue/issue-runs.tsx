import { usePages } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { runsOfIssue } from "../../nouns/issues/issue-reads.ts";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";

/** The first page of an issue's runs. */
/** The runs of an issue, newest first. */
export const IssueRuns = ({ issue }: { readonly issue: Issue }) => {
  const here = useHere();
  const runs = usePages("runs.ofIssue", runsOfIssue(issue));
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
