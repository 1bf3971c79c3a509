import { useState } from "react";
import { type RowOf, useRead, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/field.tsx";
import { sizeText } from "../../parts/size-text.ts";
import { useToasts } from "../../parts/toasts.tsx";
import { WorkspaceCommands } from "./workspace-commands.tsx";

type Project = RowOf<"projects.list">;
type Workspace = RowOf<"workspaces.list">;

const words: Readonly<Record<Workspace["status"], string>> = {
  in_use: "in use",
  unkept: "not kept yet",
  kept: "kept",
  removing: "archive commands run",
  removed: "removed",
};

const leftOutOf = ({ repositories }: Workspace) => repositories.flatMap(({ kept }) => kept?.leftOut ?? []);

const sumOf = (rows: readonly Workspace[]) => rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

/** How much they are on disk, and how much of that may go. */
const diskOf = (rows: readonly Workspace[]): string => {
  const free = rows.filter(({ stays }) => stays === null);
  return `${sizeText(sumOf(rows))} on disk${free.length === 0 ? "" : `, of which ${sizeText(sumOf(free))} may go: ${free.length === 1 ? "one" : free.length} may be removed`}.`;
};

/** The workspaces of a project's issues, newest first. */
export const Workspaces = ({ project }: { readonly project: Project }) => {
  const say = useToasts();
  const [removing, setRemoving] = useState<Workspace | null>(null);
  const [shown, setShown] = useState<Workspace | null>(null);
  const workspaces = useRead("workspaces.list", { companyId: project.companyId, projectId: project.id });
  const restore = useWrite("workspaces.restore");
  const remove = useWrite("workspaces.remove", {
    onDone: () => setRemoving(null),
    onRefused: () => setRemoving(null),
  });
  const error = workspaces.error ?? restore.error ?? remove.error;
  const rows = workspaces.data?.items ?? [];
  return (
    <>
      <h3>Workspaces of issues</h3>
      {rows.length === 0 ? null : <p className="faint">{diskOf(rows)}</p>}
      {error === null ? null : <Problem error={error} />}
      {workspaces.isSuccess && rows.length === 0 ? <p className="faint">No issue has one yet.</p> : null}
      <ul className="plain-list" aria-label={`Workspaces of ${project.name}`}>
        {rows.map((workspace) => (
          <Row
            key={workspace.id}
            workspace={workspace}
            isRestoring={restore.busy}
            onRestore={() =>
              restore.run(
                { workspaceId: workspace.id },
                { onSuccess: () => say.done("The issue's next run begins from the kept work.") },
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
          {removing.stays === null ? "" : `${removing.stays.message} `}
          The work that was kept stays, and can be restored.
        </ConfirmDialog>
      )}
    </>
  );
};

interface RowProps {
  readonly workspace: Workspace;
  readonly isRestoring: boolean;
  readonly onRestore: () => void;
  readonly onRemove: () => void;
  readonly onShow: () => void;
}

const Row = ({ workspace, isRestoring, onRestore, onRemove, onShow }: RowProps) => {
  const leftOut = leftOutOf(workspace);
  const { restore, remove, abandon } = workspace.callerMay;
  return (
    <li className="row list-row">
      <span className="grow">
        {workspace.issueIdentifier} {workspace.issueTitle}
        <span className="faint">
          {" "}
          · {words[workspace.status]}
          {workspace.bytes === null ? "" : ` · ${sizeText(workspace.bytes)}`}
          {workspace.agentId === null ? "" : " · of a second agent"}
          {leftOut.length === 0 ? "" : ` · ${leftOut.length} files not kept, such as ${leftOut[0]?.path}`}
        </span>
        {workspace.problem === null ? null : <span role="status"> · {workspace.problem}</span>}
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
