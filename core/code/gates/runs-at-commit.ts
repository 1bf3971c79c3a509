import type * as Effect from "effect/Effect";
import type { BringPorts } from "../repositories/bring-work.ts";
import type { RunAtCommit } from "../workspaces/run-at-commit.ts";

/** Commands in the agents' sandbox at commits, as workspaces run them. */
export interface CommandsAtCommit {
  readonly runAtCommit: (
    order: RunAtCommit,
  ) => Effect.Effect<
    { readonly problem: string | null; readonly durationMs: number },
    { readonly message: string }
  >;
  /** Ends what a killed service has left of a command that will not run again. */
  readonly endAtCommit: (id: string) => Effect.Effect<void>;
}

export interface GateCheckPorts extends BringPorts, CommandsAtCommit {}
