import { useState } from "react";
import { Link } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { CronDescription } from "../../nouns/routines/cron-description.tsx";
import { Status } from "../../nouns/status.tsx";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Page } from "../../widgets/page.tsx";
import { useRowKeys } from "../../widgets/row-keys.ts";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { ComingTicks } from "./coming-ticks.tsx";
import { NewRoutine } from "./new-routine.tsx";

type Routine = AnswerOf<"routines.list">[number];

/** The recurring work of a company: who does it, when it comes next, and how it went last. */
export const RoutinesScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const nameOf = useNames();
  const mayChange = useMayHere("createRoutine");
  const routines = useRead("routines.list", { companyId });
  const [isNew, setNew] = useState(false);
  useRowKeys(".table-title", "routine");
  useKeys(mayChange ? [{ keys: "c", does: "Create routine", run: () => setNew(true) }] : []);
  const newButton = (
    <Button kind="main" icon="plus" onClick={() => setNew(true)}>
      New routine
    </Button>
  );
  const columns: readonly Column<Routine>[] = [
    {
      key: "title",
      title: "Routine",
      grows: true,
      cell: ({ id, title }) => (
        <Link href={here(`/routines/${id}`)} className="table-title">
          {title}
        </Link>
      ),
    },
    { key: "status", title: "Status", cell: ({ status }) => <Status of="other" status={status} /> },
    {
      key: "schedule",
      title: "Schedule",
      wideOnly: true,
      isLong: true,
      cell: ({ triggers }) => <Schedules triggers={triggers} />,
    },
    {
      key: "assignee",
      title: "Assignee",
      wideOnly: true,
      cell: ({ assigneeAgentId }) => <Actor {...nameOf(assigneeAgentId)} />,
    },
    {
      key: "next",
      title: "Next",
      cell: ({ nextFireAt }) =>
        nextFireAt === null ? <span className="faint">–</span> : <Time at={nextFireAt} />,
    },
    {
      key: "last",
      title: "Last result",
      wideOnly: true,
      cell: (routine) => <LastResult routine={routine} />,
    },
  ];
  const isEmpty = routines.data?.length === 0;
  return (
    <Page title="Routines" actions={mayChange && !isEmpty ? newButton : undefined}>
      {routines.isPending || routines.isError ? (
        <Unread read={routines} />
      ) : isEmpty ? (
        <Empty
          icon="calendar-clock"
          title="Automate recurring work"
          action={mayChange ? newButton : undefined}
        >
          Routines create issues on a schedule, from a webhook, or on demand.
        </Empty>
      ) : (
        <>
          <Table label="Routines" columns={columns} rows={routines.data} rowKey={({ id }) => id} />
          <ComingTicks />
        </>
      )}
      {isNew ? <NewRoutine onClose={() => setNew(false)} /> : null}
    </Page>
  );
};

/** The schedules of a routine in words, one per line. */
const Schedules = ({ triggers }: Pick<Routine, "triggers">) => {
  const schedules = triggers.filter(({ kind, enabled }) => kind === "schedule" && enabled);
  return schedules.map(({ id, cronExpression, timezone }) => (
    <div key={id} className="cut" title={timezone ?? undefined}>
      <CronDescription expression={cronExpression ?? ""} />
    </div>
  ));
};

const LastResult = ({ routine: { lastResult } }: { readonly routine: Routine }) =>
  lastResult === null ? (
    <span className="faint">Never run</span>
  ) : (
    <span className="row" title={lastResult.failureReason ?? undefined}>
      <Status of="other" status={lastResult.status} />
      <span className="muted">
        <Time at={lastResult.triggeredAt} />
      </span>
    </span>
  );
