import type { CompanyId, RepositoryId, RunId, WorkspaceId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

export const commandKinds = ["setup", "run", "archive"] as const;
export type CommandKind = (typeof commandKinds)[number];

/** A command of a repository that ran in a workspace. */
export interface WorkspaceCommand {
  readonly id: string;
  readonly companyId: CompanyId;
  readonly workspaceId: WorkspaceId;
  readonly repositoryId: RepositoryId;
  /** The run that it prepared; null: the workspace was removed. */
  readonly runId: RunId | null;
  readonly kind: CommandKind;
  readonly command: string;
  /** null: it was killed. */
  readonly exitCode: number | null;
  /** Why it counts as failed; null: it succeeded. */
  readonly problem: string | null;
  /** The end of what it printed, without values of secrets. */
  readonly output: string;
  readonly durationMs: number;
  readonly endedAt: Instant;
}

/** The number of characters of a command's output that are stored. */
export const outputMost = 65_536;
/** The number of commands of a workspace that are stored. */
export const commandsMost = 20;
