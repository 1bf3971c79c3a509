import type * as Effect from "effect/Effect";
import type { AgentId } from "../core/shared/ids.ts";

/** Where agents' programs work. */
export interface Workspaces {
  /**
   * The agent's folder, made where it is its own; `configured` is taken where it is given and must exist. Fails with a
   * sentence where there is no such folder.
   */
  prepare(agentId: AgentId, configured: string | null): Effect.Effect<string, WorkspaceUnusable>;
}

/** There is no folder to work in; a sentence for people. */
export class WorkspaceUnusable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
