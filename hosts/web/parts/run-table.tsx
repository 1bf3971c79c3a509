import { Link } from "wouter";
import type { RowOf } from "../live/calls.ts";
import { Money } from "./money.tsx";
import { runStatusShown, Status } from "./status.tsx";
import { Table } from "./table.tsx";
import { Duration, Time } from "./time.tsx";
import { wakeCause } from "./wake-cause.ts";

export type RunRow = RowOf<"runs.list">;

interface RunTableProps {
  readonly label: string;
  readonly runs: readonly RunRow[];
  readonly pathOf: (runId: string) => string;
  /** Left out where all runs are of one agent. */
  readonly withAgent?: boolean;
  /** Left out where all runs are for one issue. */
  readonly withIssue?: boolean;
}

/** Runs as rows: their result, why they began, how long they took and what they cost. */
export const RunTable = ({ label, runs, pathOf, withAgent = true, withIssue = true }: RunTableProps) => (
  <Table
    label={label}
    rows={runs}
    rowKey={({ id }) => id}
    columns={[
      {
        key: "status",
        title: "Status",
        cell: (run) => (
          <Link href={pathOf(run.id)}>
            <Status of="run" status={runStatusShown(run)} />
          </Link>
        ),
      },
      ...(withAgent
        ? [{ key: "agent", title: "Agent", wideOnly: withIssue, cell: (run: RunRow) => run.agentName }]
        : []),
      ...(withIssue
        ? [
            {
              key: "issue",
              title: "Issue",
              narrowGrows: true,
              cell: (run: RunRow) => (
                <>
                  {withAgent ? <span className="narrow-only">{run.agentName}</span> : null}
                  {run.issueIdentifier === null ? null : (
                    <span className="run-table-issue cut">
                      <span className="mono faint">{run.issueIdentifier}</span> {run.issueTitle}
                    </span>
                  )}
                </>
              ),
            },
          ]
        : []),
      {
        key: "why",
        title: "Result",
        grows: true,
        wideOnly: true,
        cell: (run) => (
          <span className={run.error === null ? "muted cut" : "cut"}>
            {run.error ?? run.summary ?? wakeCause(run.wakeReason)}
          </span>
        ),
      },
      { key: "began", title: "Began", cell: (run) => <Time at={run.startedAt ?? run.createdAt} /> },
      {
        key: "took",
        title: "Took",
        align: "end",
        wideOnly: true,
        cell: (run) => (run.startedAt === null ? "" : <Duration from={run.startedAt} to={run.finishedAt} />),
      },
      {
        key: "cost",
        title: "Cost",
        align: "end",
        wideOnly: true,
        cell: (run) => (run.costCents === null ? "" : <Money cents={run.costCents} />),
      },
    ]}
  />
);
