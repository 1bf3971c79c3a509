import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { Agent } from "../core/agents/agent.ts";
import type { CompanyId } from "../core/shared/ids.ts";
import type { AgentUser } from "./agent-adapter.ts";

/** Where agents' programs work, and as whom. */
export interface Workspaces {
  /**
   * The agent's folder, made where it is its own; `configured` is taken where it is given and must exist. Fails with a
   * sentence where there is no such folder, or nobody to work as.
   */
  prepare(
    agent: Pick<Agent, "id" | "companyId">,
    configured: string | null,
  ): Effect.Effect<Workspace, WorkspaceUnusable>;
  /** A folder of no agent, gone with the scope, for a company's programs; null: for a look at adapter packages. */
  lend(companyId: CompanyId | null): Effect.Effect<Workspace, WorkspaceUnusable, Scope.Scope>;
}

export interface Workspace {
  readonly cwd: string;
  /** null: the service's own user. */
  readonly user: AgentUser | null;
  /** What this user has instead of the service's variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** There is no folder to work in, or nobody to work as; a sentence for people. */
export class WorkspaceUnusable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
