import * as Effect from "effect/Effect";
import { logMost } from "../../model/issues/gates/gate-check.ts";
import type { CompanyId } from "../../model/shared/ids.ts";
import { clause } from "../../model/shared/sentence.ts";
import type { CloneAtCommit } from "../workspaces/run-at-commit.ts";
import type { CommandsAtCommit } from "./runs-at-commit.ts";

/** How the command of a gate ended. */
export interface GateRun {
  /** A sentence; null: it succeeded. */
  readonly problem: string | null;
  /** The service could not run it. */
  readonly isUnusable: boolean;
  readonly log: string;
  readonly durationMs: number | null;
}

interface GateCommand {
  readonly id: string;
  readonly companyId: CompanyId;
  readonly runner: string;
  /** Made once the command runs; a failure is that it could not. */
  readonly clones: Effect.Effect<readonly CloneAtCommit[], { readonly message: string }>;
  readonly command: string;
  readonly timeoutSec: number;
}

/** Runs the command of a gate, and keeps the end of what it prints. */
export const runCommand = (
  { runAtCommit }: Pick<CommandsAtCommit, "runAtCommit">,
  order: GateCommand,
): Effect.Effect<GateRun> =>
  Effect.suspend(() => {
    let log = "";
    const stopping = new AbortController();
    return order.clones.pipe(
      Effect.flatMap((clones) =>
        runAtCommit({
          ...order,
          clones,
          stop: stopping.signal,
          onOutput: (text) =>
            Effect.sync(() => {
              log = `${log}${text}`.slice(-logMost);
            }),
        }),
      ),
      Effect.map(({ problem, durationMs }) => ({
        problem: problem === null ? null : `Its command failed: ${clause(problem)}.`,
        isUnusable: false,
        durationMs,
      })),
      Effect.catch(({ message }) =>
        Effect.succeed({
          problem: `Its command could not run: ${message}`,
          isUnusable: true,
          durationMs: null,
        }),
      ),
      Effect.map((ran) => ({ ...ran, log: log.replaceAll("\0", "").toWellFormed() })),
      Effect.onInterrupt(() => Effect.sync(() => stopping.abort())),
    );
  });
