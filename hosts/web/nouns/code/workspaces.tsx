import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { type RowOf, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { sizeText } from "../../widgets/size-text.ts";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useHere } from "../companies/company.tsx";
import { visible } from "../visible-text.ts";
import { WorkspaceCommands } from "./workspace-commands.tsx";

export type Workspace = RowOf<"workspaces.list">;

const statusLabels: Readonly<Record<Workspace["status"], string>> = {
  in_use: "in use",
  unkept: "not saved yet",
  kept: "kept",
  removing: "removing",
  removed: "removed",
};

const sumOf = (rows: readonly Workspace[]) => rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

/** How much they are on disk, and how much of that may go. */
const diskOf = (rows: readonly Workspace[]): string => {
  const free = rows.filter(({ stays }) => stays === null);
  return `${sizeText(sumOf(rows))} on disk${free.length === 0 ? "" : `, ${sizeText(sumOf(free))} can be cleaned up`}`;
};

interface WorkspacesProps {
  readonly label: string;
  /** At least one. */
  readonly workspaces: readonly Workspace[];
  /** The issue or the agent that has it. */
  readonly titleOf: (workspace: Workspace) => ReactNode;
}

/** Workspaces of issues: what they have on disk, and what a person may do with each. */
export const Workspaces = ({ label, workspaces, titleOf }: WorkspacesProps) => {
  const say = useToasts();
  const [removing, setRemoving] = useState<Workspace | null>(null);
  const [shown, setShown] = useState<Workspace | null>(null);
  const restore = useWrite("workspaces.restore");
  const remove = useWrite("workspaces.remove", {
    onDone: () => setRemoving(null),
    onRefused: () => setRemoving(null),
  });
  const error = restore.error ?? remove.error;
  return (
    <>
      <p className="faint">{diskOf(workspaces)}</p>
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list" aria-label={label}>
        {workspaces.map((workspace) => (
          <Row
            key={workspace.id}
            workspace={workspace}
            title={titleOf(workspace)}
            isRestoring={restore.busy}
            onRestore={() =>
              restore.run(
                { workspaceId: workspace.id },
                { onSuccess: () => say.done("The issue's next run starts from the saved work.") },
              )
            }
            onRemove={() => setRemoving(workspace)}
            onShow={() => setShown(workspace)}
          />
        ))}
      </ul>
      {shown === null ? null : <WorkspaceCommands workspace={shown} onClose={() => setShown(null)} />}
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove the workspace of ${removing.issueIdentifier}?`}
          verb={removing.callerMay.remove.allowed ? "Remove" : "Abandon and remove"}
          busy={remove.busy}
          onConfirm={() =>
            remove.run({ workspaceId: removing.id, abandon: !removing.callerMay.remove.allowed })
          }
          onClose={() => setRemoving(null)}
        >
          {removing.stays === null ? "" : `${visible(removing.stays.message)} `}
          Saved work can be restored.
        </ConfirmDialog>
      )}
    </>
  );
};

interface RowProps {
  readonly workspace: Workspace;
  readonly title: ReactNode;
  readonly isRestoring: boolean;
  readonly onRestore: () => void;
  readonly onRemove: () => void;
  readonly onShow: () => void;
}

const Row = ({ workspace, title, isRestoring, onRestore, onRemove, onShow }: RowProps) => {
  const here = useHere();
  const { restore, remove, abandon } = workspace.callerMay;
  const [keptAt = null] = workspace.repositories.flatMap(({ kept }) => kept?.keptAt ?? []);
  const [branch = null] = workspace.repositories.map((each) => each.branch);
  const reason = reasonOf(workspace);
  return (
    <li className="row list-row">
      <span className="grow">
        {title}
        <span className="faint">
          {" "}
          · {statusLabels[workspace.status]} {keptAt === null ? null : <Time at={keptAt} />} ·{" "}
          <Link href={here(`/runs/${workspace.runId}`)} className="in-text">
            last run
          </Link>
          {branch === null ? "" : ` · ${branch}`}
          {workspace.bytes === null ? "" : ` · ${sizeText(workspace.bytes)}`}
          {reason === null ? "" : ` · ${reason}`}
        </span>
        {workspace.problem === null ? null : <span role="status"> · {visible(workspace.problem)}</span>}
      </span>
      <Button small onClick={onShow}>
        Commands
      </Button>
      {restore.allowed ? (
        <Button small busy={isRestoring} onClick={onRestore}>
          Restore
        </Button>
      ) : null}
      {remove.allowed || abandon.allowed ? (
        <IconButton
          icon="trash"
          small
          label={`Remove the workspace of ${workspace.issueIdentifier}`}
          onClick={onRemove}
        />
      ) : null}
    </li>
  );
};

/** Whether it may go, or what of it holds it; its state says the rest. */
const reasonOf = ({ stays, repositories }: Workspace): string | null => {
  if (stays === null) return "can be cleaned up";
  if (stays.code === "unfinished") return "not merged";
  const [first, ...others] = repositories.flatMap(({ kept }) => kept?.leftOut ?? []);
  if (first === undefined) return null;
  return `${others.length + 1} files not saved, such as ${visible(first.path)}`;
};
