import { type RowOf, useRead } from "../../live/calls.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/field.tsx";

type Workspace = RowOf<"workspaces.list">;

interface Props {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

const words = { setup: "Set-up", run: "Before a run", archive: "Before the removal" } as const;

/** The last commands of repositories in a workspace, with the end of what each printed. */
export const WorkspaceCommands = ({ workspace, onClose }: Props) => {
  const commands = useRead("workspaces.commands", { workspaceId: workspace.id });
  const rows = commands.data?.items ?? [];
  return (
    <Dialog title={`Commands in the workspace of ${workspace.issueIdentifier}`} onClose={onClose} wide>
      {commands.error === null ? null : <Problem error={commands.error} />}
      {commands.isSuccess && rows.length === 0 ? <p className="faint">None has run yet.</p> : null}
      {rows.map(({ id, kind, command, problem, output, durationMs, endedAt }) => (
        <section key={id}>
          <h4>
            {words[kind]}: {problem === null ? "succeeded" : `failed, ${problem}`}
          </h4>
          <p className="faint">
            {command} · {Math.round(durationMs / 1_000)} s · {endedAt}
          </p>
          <pre>{output}</pre>
        </section>
      ))}
    </Dialog>
  );
};
