import { type RowOf, useRead } from "../../live/calls.ts";
import { Dialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { durationText, Time } from "../../widgets/time.tsx";
import { visible } from "../visible-text.ts";

type Workspace = RowOf<"workspaces.list">;

interface Props {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

const labels = { setup: "Set-up", run: "Before a run", archive: "Before removal" } as const;

/** The last commands of repositories in a workspace, with the end of what each printed. */
export const WorkspaceCommands = ({ workspace, onClose }: Props) => {
  const commands = useRead("workspaces.commands", { workspaceId: workspace.id });
  const rows = commands.data?.items ?? [];
  return (
    <Dialog title={`Commands in the workspace of ${workspace.issueIdentifier}`} onClose={onClose} wide>
      {commands.error === null ? null : <Problem error={commands.error} />}
      {commands.isSuccess && rows.length === 0 ? <p className="faint">No commands run yet.</p> : null}
      {rows.map(({ id, kind, command, problem, output, durationMs, endedAt }) => (
        <section key={id}>
          <h4>
            {labels[kind]}: {problem === null ? "succeeded" : `failed, ${visible(problem)}`}
          </h4>
          <p className="faint">
            {visible(command)} · {durationText(durationMs)} · <Time at={endedAt} />
          </p>
          <pre>{output.split("\n").map(visible).join("\n")}</pre>
        </section>
      ))}
    </Dialog>
  );
};
