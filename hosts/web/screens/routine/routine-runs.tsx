import { Link } from "wouter";
import { type RowOf, usePages } from "../../live/calls.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { Status } from "../../nouns/status.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";

type Run = RowOf<"routines.runs">;

const sourceLabels: Readonly<Record<Run["source"], string>> = {
  schedule: "Schedule",
  manual: "Manual",
  api: "API",
  webhook: "Webhook",
};

/** The result of each firing. */
export const RoutineRuns = ({ routineId }: { readonly routineId: string }) => {
  const { rows, more, isSuccess, error } = usePages("routines.runs", { routineId, limit: 20 });
  const here = useHere();
  const columns: readonly Column<Run>[] = [
    {
      key: "issue",
      title: "Issue",
      grows: true,
      cell: ({ linkedIssue, failureReason }) =>
        linkedIssue === null ? (
          <span className="muted">{failureReason ?? "–"}</span>
        ) : (
          <Link href={here(`/issues/${linkedIssue.identifier}`)}>
            {linkedIssue.identifier} {linkedIssue.title}
          </Link>
        ),
    },
    { key: "status", title: "Result", cell: ({ status }) => <Status of="other" status={status} /> },
    {
      key: "source",
      title: "Trigger",
      wideOnly: true,
      cell: ({ source, trigger }) => trigger?.label ?? sourceLabels[source],
    },
    { key: "at", title: "When", align: "end", cell: ({ triggeredAt }) => <Time at={triggeredAt} /> },
  ];
  return (
    <section aria-labelledby="routine-runs" className="stack">
      <h2 id="routine-runs">Recent runs</h2>
      {error === null ? null : <Problem error={error} />}
      {rows.length === 0 ? (
        isSuccess ? (
          <p className="muted">No runs yet</p>
        ) : null
      ) : (
        <Table label="Recent runs" columns={columns} rows={rows} rowKey={({ id }) => id} />
      )}
      {more === null ? null : (
        <Button small onClick={more}>
          Show more
        </Button>
      )}
    </section>
  );
};
