import type * as Effect from "effect/Effect";
import type { Agent } from "../core/model/agents/agent.ts";
import type { Author } from "../core/model/repositories/authorship.ts";
import type { CompanyId, RunId, VolumeId, WorkspaceId } from "../core/model/shared/ids.ts";
import type { Clone } from "../core/model/workspaces/issue-workspace.ts";
import type { LeftOut } from "../core/model/workspaces/run-work.ts";
import type { Commit } from "./code-stores.ts";
import type { Workspace, WorkspaceUnusable } from "./workspaces.ts";

/** A workspace of an issue, as its folder is found. */
export interface WorkspaceFolder {
  readonly companyId: CompanyId;
  readonly id: WorkspaceId;
  /** It is of no issue, and goes by itself if a killed service has left it. */
  readonly isTemporary?: boolean;
}

/** How a program finds the service's stores of a repository. */
export interface StoreAddress {
  /** `/git/<repositoryId>` of the service, with its origin. */
  readonly url: string;
  /** The run's credential for it. */
  readonly token: string;
  /** The objects of the shared store, bound read-only where the runner has the service's disk. */
  readonly sharedObjects: string;
}

/** The kept state of a run, which a new clone begins from. */
export interface CapturedState {
  readonly runId: RunId;
  readonly head: Commit;
  readonly files: Commit;
}

/** A clone to make or to check. */
export interface CloneOrder extends Clone, StoreAddress {
  /** Of commits that the run's programs make, unless they name another. */
  readonly author: Author;
  /** Lines that a hook adds to the messages of these commits. */
  readonly trailers: readonly string[];
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: Commit;
  /** null: it begins from the base. */
  readonly from: CapturedState | null;
  /** Where its submodules may come from; absent: it gets none. */
  readonly sources?: CloneSources;
}

/** A merge of an issue's work, from which its branch continues. */
export interface MergedWork {
  readonly fromCommit: Commit;
  /** In the default branch. */
  readonly commit: Commit;
  readonly defaultBranch: string;
}

/** The address of a clone's repository at its host, and the stores of the repositories of its project. */
export interface CloneSources {
  readonly hostUrl: string;
  readonly stores: readonly { readonly hostUrl: string; readonly url: string }[];
}

/** A clone whose work is to be kept, as that of a run. */
export interface CaptureOrder extends Clone, StoreAddress {
  readonly runId: RunId;
  /** Lines at the end of the message of the commit with its files. */
  readonly trailers: readonly string[];
  /** A commit of the shared store, in place of a HEAD that is gone. */
  readonly standIn: Commit;
  /** The folders of all clones, where files outside of them are to be named; empty: not here. */
  readonly outsideOf: readonly string[];
}

/** The work that a run left in a clone, as the program that kept it says: text of the agent's sandbox. */
export interface CapturedWork {
  /** A full ref; null: none is checked out. */
  readonly branch: string | null;
  /** Whether HEAD is the clone's own; false: it has none, and `standIn` is in its place. */
  readonly hasHead: boolean;
  readonly state: string | null;
  readonly leftOut: readonly LeftOut[];
  /** Of the whole workspace on disk; null: not known. */
  readonly bytes: number | null;
}

/** A step in a workspace: one of the run's programs. */
export interface WorkspaceStep {
  /** In the environment of its processes. */
  readonly runId: string;
  readonly workspace: Workspace;
  readonly stop: AbortSignal;
  /** Gets the words of git. */
  readonly onOutput: (text: string) => Effect.Effect<void>;
}

/** A command of a person, for /bin/sh. */
export interface CommandOrder {
  readonly command: string;
  /** Relative to the workspace; null: the workspace itself. */
  readonly directory: string | null;
  /** Only if the workspace is new to it: the command or a lock file has changed since it succeeded there. */
  readonly onChange?: boolean;
  /** In addition to PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutSec: number;
}

/** How the command ended. */
export interface CommandOutcome {
  /** null: it was ended. */
  readonly exitCode: number | null;
  /** Why it counts as failed: words that continue a sentence; null: it succeeded. */
  readonly problem: string | null;
  readonly durationMs: number;
  /** It was not carried out: nothing has changed (`onChange`). */
  readonly isUnchanged: boolean;
}

/** The step failed; a sentence for people. */
export class WorkspaceStepFailed {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Where this service finds workspaces of issues: its own disk, and the engines of its runners. */
export interface WorkspaceDisks {
  /** null: this service cannot use it. */
  of(volume: VolumeId): IssueWorkspaces | null;
  all(): readonly IssueWorkspaces[];
}

/**
 * Folders of issues' workspaces on the runner's disk, or on volumes of its engine. The service never runs git in one and
 * reads no file of one: each step is a program in the sandbox of the agents, as their user. What fails with TreeFailed has
 * changed nothing, or may be repeated: an engine may be away.
 */
export interface IssueWorkspaces {
  /** Identifies what keeps them. */
  readonly volume: VolumeId;
  /** `discard` waits for nobody; false: for an engine, which may take minutes. */
  readonly discardsAtOnce: boolean;
  /** Returns the folder for an agent's programs, or for a step of the service alone; it is made where it is missing. */
  open(
    agent: Pick<Agent, "id" | "grantedPaths"> | null,
    folder: WorkspaceFolder,
    sharedObjects: readonly string[],
  ): Effect.Effect<Workspace, WorkspaceUnusable>;
  /** Whether the folder is there. */
  isThere(folder: WorkspaceFolder): Effect.Effect<boolean, WorkspaceStepFailed>;
  /**
   * Moves the folder to the trash, in one step; it is deleted in the background. Nothing may run in it. A second time under
   * the same name does nothing while the first is in the trash. A volume is deleted, once no program uses it.
   */
  discard(folder: WorkspaceFolder, name?: string): Effect.Effect<void, WorkspaceStepFailed>;
  /**
   * Moves or copies the folder aside, where it stays for some weeks: it has files that are kept nowhere else. Returns its
   * new path, or a name for people.
   */
  setAside(folder: WorkspaceFolder): Effect.Effect<string, WorkspaceStepFailed>;
  /** Deletes what is in the trash, what has been aside for long, and temporary folders that were left. */
  emptyTrash(): Effect.Effect<void, WorkspaceStepFailed>;
  /** Makes the clone. */
  make(step: WorkspaceStep, order: CloneOrder): Effect.Effect<void, WorkspaceStepFailed>;
  /** Renews what the clone knows of the service, and removes locks of killed programs. Returns whether it is a clone still. */
  check(step: WorkspaceStep, order: CloneOrder): Effect.Effect<boolean, WorkspaceStepFailed>;
  /**
   * Moves the issue's branch to the commit of its merge, with what is not committed. Returns whether it is there now: a
   * clone that is elsewhere, or whose files would be lost, stays as it is.
   */
  continueFrom(
    step: WorkspaceStep,
    order: CloneOrder,
    merged: MergedWork,
  ): Effect.Effect<boolean, WorkspaceStepFailed>;
  /** Pushes all that git does not ignore to the kept store, as refs of the run, whatever state the clone is in. */
  keep(step: WorkspaceStep, order: CaptureOrder): Effect.Effect<CapturedWork, WorkspaceStepFailed>;
  /** Ends programs of steps with that run id, which a killed service left. */
  endOrphanSteps(runId: string): Effect.Effect<void>;
  /** Runs a command to its end, with the step's user and without any credential. `onOutput` gets all that it prints. */
  command(step: WorkspaceStep, order: CommandOrder): Effect.Effect<CommandOutcome>;
}
