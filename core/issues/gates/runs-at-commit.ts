import type * as Effect from "effect/Effect";
import type { Ids } from "../../../ports/ids.ts";
import type { BringPorts } from "../../repositories/bring-work.ts";
import type { RunAtCommit } from "../../trees/run-at-commit.ts";

/** Runs a command in the agents' sandbox at commits: `runAtCommit` of workspaces. */
export type RunsAtCommit = (
  order: RunAtCommit,
) => Effect.Effect<
  { readonly problem: string | null; readonly durationMs: number },
  { readonly message: string }
>;

export interface GateCheckPorts extends BringPorts {
  readonly ids: Ids;
  readonly runAtCommit: RunsAtCommit;
}
