import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { Agent } from "../core/model/agents/agent.ts";
import type { GrantedPath } from "../core/model/agents/named-paths.ts";
import type { AgentId, CompanyId } from "../core/model/shared/ids.ts";
import type { AgentUser } from "./agent-adapter.ts";

/** Provides the folders and users of agents' programs. */
export interface Workspaces {
  /**
   * Returns the agent's folder: `configured`, which must exist, or its own, created where it is missing. Fails with a
   * sentence where the folder or the user is missing.
   */
  prepare(
    agent: Pick<Agent, "id" | "companyId" | "grantedPaths">,
    configured: string | null,
  ): Effect.Effect<Workspace, WorkspaceUnusable>;
  /**
   * Creates a temporary folder for a company's programs, removed with the scope; null: for inspecting adapter packages.
   */
  temporary(companyId: CompanyId | null): Effect.Effect<Workspace, WorkspaceUnusable, Scope.Scope>;
}

export interface Workspace {
  /** null: for inspecting adapter packages. */
  readonly companyId: CompanyId | null;
  /** null: a temporary one. */
  readonly agentId: AgentId | null;
  /** Absolute, as its programs see it. */
  readonly cwd: string;
  /** The folders of the service that are its agent's: the workspace and the home. */
  readonly own: readonly string[];
  /** Folders of the service that its programs read, at their own path. */
  readonly reads?: readonly string[];
  /** The volumes of its engine that hold parts of it, without that of its agent. */
  readonly volumes?: readonly EngineVolume[];
  /** The agent's own folder, where `cwd` is the workspace of an issue. */
  readonly agentFolder?: string;
  /** The paths of the service's machine that an instance admin shows it. */
  readonly granted: readonly GrantedPath[];
  /** Absolute, as its programs see it, outside of `cwd`: what `ProcessSpec.files` names is below it. */
  readonly files: string;
  /** The user of its programs, who also must be able to read the files that they get; null: the service's own. */
  readonly user: AgentUser | null;
  /** The base of the environment of its programs, such as PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
}

/** A volume of an engine, such as Docker's, made with the first program that sees it. */
export interface EngineVolume {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where programs see it. */
  readonly path: string;
  /** Those at its top, for its user alone; made where they are missing. */
  readonly folders: readonly string[];
}

/** The folder or the user is missing; a sentence for people. */
export class WorkspaceUnusable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
