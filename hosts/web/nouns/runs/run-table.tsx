import { Link } from "wouter";
import { hasFailed, isLive } from "../../../../core/model/runs/run-status.ts";
import type { RowOf } from "../../live/calls.ts";
import { Money } from "../../widgets/money.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Duration, Time } from "../../widgets/time.tsx";
import { runStatusShown, Status } from "../status.tsx";
import { lastSentence } from "./last-sentence.ts";
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

const triggerColumn: Column<RunRow> = {
  key: "trigger",
  title: "Trigger",
  wideOnly: true,
  cell: ({ wakeReason }) => <span className="muted">{wakeCause(wakeReason)}</span>,
};

/** Runs as rows: their result, why they began, how long they took and what they cost. */
export const RunTable = ({ label, runs, pathOf, withAgent = true, withIssue = true }: RunTableProps) => {
  const longest = Math.max(1, ...runs.map(lengthOf));
  return (
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
          ? [{ key: "agent", title: "Agent", wideOnly: true, cell: (run: RunRow) => run.agentName }]
          : []),
        ...(withIssue
          ? [
              {
                key: "issue",
                title: "Issue",
                narrowGrows: true,
                cell: (run: RunRow) => (
                  <>
                    {withAgent ? <span className="narrow-only table-clamp">{run.agentName}</span> : null}
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
        triggerColumn,
        {
          key: "result",
          title: "Result",
          grows: true,
          wideOnly: withIssue,
          cell: (run) => (
            <>
              <Result run={run} />
              {withIssue ? null : <Spent run={run} />}
            </>
          ),
        },
        { key: "began", title: "Started", cell: (run) => <Time at={run.startedAt ?? run.createdAt} /> },
        {
          key: "took",
          title: "Duration",
          align: "end",
          wideOnly: true,
          cell: (run) =>
            run.startedAt === null ? (
              ""
            ) : (
              <>
                <Duration from={run.startedAt} to={run.finishedAt} />
                <LengthBar millis={lengthOf(run)} longest={longest} tone={runTone(run.status)} />
              </>
            ),
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
};

/** How long a run took and what it cost, where these have no columns. */
const Spent = ({ run }: { readonly run: RunRow }) => (
  <span className="narrow-only faint">
    {run.startedAt === null ? null : <Duration from={run.startedAt} to={run.finishedAt} />}
    {run.startedAt === null || run.costCents === null ? null : " · "}
    {run.costCents === null ? null : <Money cents={run.costCents} />}
  </span>
);

/** The error of a run, or what its agent achieved. */
const Result = ({ run }: { readonly run: RunRow }) => (
  <span className={run.error === null ? "muted cut" : "cut"}>
    {run.error ?? lastSentence(run.summary ?? "")}
  </span>
);

const lengthOf = ({ startedAt, finishedAt }: RunRow): number =>
  startedAt === null
    ? 0
    : (finishedAt === null ? Date.now() : Date.parse(finishedAt)) - Date.parse(startedAt);

const runTone = (status: RunRow["status"]): string =>
  isLive(status) ? "live" : hasFailed(status) ? "failed" : "ended";

interface LengthBarProps {
  readonly millis: number;
  /** Of all runs of the table: the bars have one scale. */
  readonly longest: number;
  readonly tone: string;
}

/** How long a run took next to the others; the words next to it say it, too. */
const LengthBar = ({ millis, longest, tone }: LengthBarProps) => (
  <svg className={`run-length ${tone}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect
      x={100 - Math.max(1, (100 * millis) / longest)}
      width={Math.max(1, (100 * millis) / longest)}
      height="4"
    />
  </svg>
);
