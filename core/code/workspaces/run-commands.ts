import * as Effect from "effect/Effect";
import type { IssueWorkspaces, WorkspaceStep } from "../../../ports/issue-workspaces.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { RunId } from "../../model/shared/ids.ts";
import type { IssueWorkspace } from "../../model/workspaces/issue-workspace.ts";
import { type CommandKind, outputMost } from "../../model/workspaces/workspace-command.ts";

export interface RunCommands {
  readonly kind: CommandKind;
  readonly workspace: Pick<IssueWorkspace, "id" | "companyId" | "firstPort">;
  readonly repositories: readonly Repository[];
  readonly issueWorkspaces: IssueWorkspaces;
  readonly step: Omit<WorkspaceStep, "onOutput">;
  /** The run that they prepare; null: none. */
  readonly runId: RunId | null;
  readonly env: Readonly<Record<string, string>>;
  /** Hides values of secrets. */
  readonly masked: (text: string) => string;
}

const commandOf = ({ setupCommand, runCommand, archiveCommand }: Repository, kind: CommandKind) =>
  ({ setup: setupCommand, run: runCommand, archive: archiveCommand })[kind];

/** The ports of a workspace in the environment of its programs. */
export const portVariables = ({
  firstPort,
}: Pick<IssueWorkspace, "firstPort">): Readonly<Record<string, string>> =>
  firstPort === null ? {} : { SERVICE_PORT_BASE: String(firstPort) };

/**
 * Carries out the commands of the workspace's repositories, one after the other, each in its clone, and stores what they
 * print. Returns a sentence at the first that fails; the rest is not carried out then.
 */
export const runCommands = ({ transactor, clock, ids }: UseCaseContext) =>
  Effect.fnUntraced(function* (order: RunCommands) {
    const { kind, workspace, issueWorkspaces, step, runId, env, masked } = order;
    for (const repository of order.repositories) {
      const command = commandOf(repository, kind);
      if (command === null) continue;
      let printed = "";
      const onOutput = (text: string) =>
        Effect.sync(() => {
          printed = `${printed}${text}`.slice(-2 * outputMost);
        });
      const { exitCode, problem, durationMs, isUnchanged } = yield* issueWorkspaces.command(
        { ...step, onOutput },
        {
          command,
          directory: repository.directory,
          onChange: kind === "setup",
          env: { ...env, ...portVariables(workspace) },
          timeoutSec: repository.commandTimeoutSec,
        },
      );
      if (isUnchanged) continue;
      const output = endOf(masked(printed));
      yield* transactor.transact((stores) =>
        stores.issueWorkspaces.putCommand({
          id: ids.newId(),
          companyId: workspace.companyId,
          workspaceId: workspace.id,
          repositoryId: repository.id,
          runId,
          kind,
          command,
          exitCode,
          problem,
          output,
          durationMs,
          endedAt: clock.now(),
        }),
      );
      if (problem !== null) return `The ${kind} command of ${repository.url} failed: ${problem}`;
    }
    return null;
  });

/** Whole lines, as a database stores them. */
const endOf = (text: string): string => {
  const plain = text.replaceAll("\0", "").toWellFormed();
  if (plain.length <= outputMost) return plain;
  const end = plain.slice(-outputMost);
  return end.slice(end.indexOf("\n") + 1);
};
