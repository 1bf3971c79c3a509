import { useState } from "react";
import { Link, useParams } from "wouter";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { PriorityMark, Status } from "../../nouns/status.tsx";
import { ActionButton } from "../../widgets/action-button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Page } from "../../widgets/page.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { EditRoutine } from "./edit-routine.tsx";
import { NextFires } from "./next-fires.tsx";
import { catchUpLabels, concurrencyLabels } from "./policy-labels.ts";
import { Revisions } from "./revisions.tsx";
import { RoutineRuns } from "./routine-runs.tsx";
import { Triggers } from "./triggers.tsx";

/** One routine: what it makes, what fires it and when, what became of it, and how it was before. */
export const RoutineScreen = () => {
  const { routine: routineId = "" } = useParams<{ routine: string }>();
  const here = useHere();
  const routine = useRead("routines.get", { routineId });
  useOwnCompany(routine.data);
  const crumbs = [{ label: "Routines", to: here("/routines") }];
  if (routine.data === undefined)
    return (
      <Page title="Routine" crumbs={crumbs}>
        {routine.isError ? (
          <ErrorView error={routine.error} retry={() => void routine.refetch()} />
        ) : (
          <Skeleton />
        )}
      </Page>
    );
  const may = routine.data.callerMay.update.allowed;
  return (
    <Page
      title={routine.data.title}
      crumbs={crumbs}
      actions={may ? <Actions routine={routine.data} /> : undefined}
    >
      <div className="routine">
        <InOrder>
          <Definition routine={routine.data} />
          <Triggers routine={routine.data} mayChange={may} />
          <NextFires routine={routine.data} />
          <RoutineRuns routineId={routine.data.id} />
          <Revisions routine={routine.data} mayChange={may} />
        </InOrder>
      </div>
    </Page>
  );
};

/** The results of a firing that created no issue of its own. */
const outcomes: Readonly<Record<string, string>> = {
  coalesced: "Joined the active run",
  skipped: "Skipped, because another run is active",
};

interface ArchiveDialogProps {
  readonly routine: Routine;
  readonly onClose: () => void;
}

const ArchiveDialog = ({ routine, onClose }: ArchiveDialogProps) => {
  const archive = useWrite("routines.update", { onDone: onClose });
  return (
    <ConfirmDialog
      title="Archive this routine?"
      verb="Archive"
      busy={archive.busy}
      onConfirm={() => archive.run({ routineId: routine.id, status: "archived" })}
      onClose={onClose}
    >
      <div className="stack">
        <p>It stops running permanently. Its runs and issues stay.</p>
        {archive.error === null ? null : <Problem error={archive.error} />}
      </div>
    </ConfirmDialog>
  );
};

const Actions = ({ routine }: { readonly routine: Routine }) => {
  const say = useToasts();
  const [opened, setOpened] = useState<"edit" | "archive" | null>(null);
  const close = () => setOpened(null);
  const fire = useWrite("routines.run", {
    onDone: ({ status, failureReason }) => {
      if (status === "failed") say.refused(failureReason ?? "The routine couldn't create an issue.");
      else say.done(outcomes[status] ?? "Issue created");
    },
    onRefused: say.refused,
  });
  const update = useWrite("routines.update", { onRefused: say.refused });
  const isActive = routine.status === "active";
  const { activate: mayActivate, run: mayRun } = routine.callerMay;
  const move = (status: "active" | "paused") => update.run({ routineId: routine.id, status });
  return (
    <>
      <Menu
        button={<Icon name="ellipsis" />}
        label="Edit routine"
        align="end"
        items={[
          { label: "Edit", icon: "pencil", run: () => setOpened("edit") },
          isActive
            ? {
                label: "Pause",
                icon: "pause",
                run: () =>
                  update.run(
                    { routineId: routine.id, status: "paused" },
                    { onSuccess: () => say.done("Routine paused", () => move("active")) },
                  ),
              }
            : {
                label: "Activate",
                icon: "play",
                disabled: !mayActivate.allowed,
                ...(mayActivate.error === undefined ? {} : { hint: mayActivate.error }),
                run: () => move("active"),
              },
          { label: "Archive", icon: "archive", kind: "danger", run: () => setOpened("archive") },
        ]}
      />
      {isActive ? null : (
        <span className="wide-only">
          <ActionButton may={mayActivate} icon="play" busy={update.busy} onClick={() => move("active")}>
            Activate
          </ActionButton>
        </span>
      )}
      <ActionButton
        may={mayRun}
        kind="main"
        icon="zap"
        busy={fire.busy}
        onClick={() => fire.run({ routineId: routine.id, source: "manual" })}
      >
        Run now
      </ActionButton>
      {opened === "edit" ? <EditRoutine begun={routine} onClose={close} /> : null}
      {opened === "archive" ? <ArchiveDialog routine={routine} onClose={close} /> : null}
    </>
  );
};

const Definition = ({ routine }: { readonly routine: Routine }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const nameOf = useNames();
  const { data: projects } = useRead("projects.list", { companyId });
  const { activeIssue } = routine;
  const project = projects?.items.find(({ id }) => id === routine.projectId);
  return (
    <section aria-label="Definition" className="stack">
      <div className="row-wrap">
        <Status of="other" status={routine.status} />
        <Link href={here(`/agents/${routine.assigneeAgentId}`)} className="row">
          <Actor {...nameOf(routine.assigneeAgentId)} />
        </Link>
        <PriorityMark priority={routine.priority} />
        {project === undefined ? null : <span className="muted">{project.name}</span>}
      </div>
      {routine.description === null ? null : <Markdown text={routine.description} />}
      <p className="muted">
        {concurrencyLabels[routine.concurrencyPolicy]} {catchUpLabels[routine.catchUpPolicy]}
      </p>
      {activeIssue === null ? null : (
        <p className="row-wrap">
          <span className="muted">Active run:</span>
          <Status of="issue" status={activeIssue.status} bare />
          <Link href={here(`/issues/${activeIssue.identifier}`)}>
            {activeIssue.identifier} {activeIssue.title}
          </Link>
        </p>
      )}
    </section>
  );
};
