import type * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { RunAtCommit } from "../../trees/run-at-commit.ts";

/** Runs a command in the agents' sandbox at commits: `runAtCommit` of workspaces. */
export type RunsAtCommit = (
  order: RunAtCommit,
) => Effect.Effect<
  { readonly problem: string | null; readonly durationMs: number },
  { readonly message: string }
>;

export interface GateCheckPorts {
  readonly transactor: Transactor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codeStores: CodeStores;
  readonly runAtCommit: RunsAtCommit;
}
