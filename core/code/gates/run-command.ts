import * as Effect from "effect/Effect";
import { logMost } from "../../model/issues/gates/gate-check.ts";
import type { CompanyId, IssueId } from "../../model/shared/ids.ts";
import { clause } from "../../model/shared/sentence.ts";
import { maskForIssue } from "../../secrets/mask-for-agents.ts";
import type { CloneAtCommit } from "../workspaces/run-at-commit.ts";
import type { GateCheckPorts } from "./runs-at-commit.ts";

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
  readonly issueId: IssueId;
  readonly runner: string;
  /** Made once the command runs; a failure is that it could not. */
  readonly clones: Effect.Effect<readonly CloneAtCommit[], { readonly message: string }>;
  readonly command: string;
  readonly timeoutSec: number;
}

/**
 * Runs the command of a gate, and stores the end of its output. Agents may have left secrets in their work, which the
 * command then prints: their values are hidden.
 */
export const runCommand = (
  parts: Pick<GateCheckPorts, "runAtCommit" | "transactor" | "providers">,
  order: GateCommand,
): Effect.Effect<GateRun> =>
  Effect.gen(function* () {
    let log = "";
    const stopping = new AbortController();
    const masked = yield* maskForIssue(parts)(order);
    const ran = yield* order.clones.pipe(
      Effect.flatMap((clones) =>
        parts.runAtCommit({
          ...order,
          clones,
          stop: stopping.signal,
          onOutput: (text) =>
            Effect.sync(() => {
              // Twice as much: a value that is cut at the beginning cannot be recognised, and is not shown.
              log = `${log}${text}`.slice(-2 * logMost);
            }),
        }),
      ),
      Effect.map(({ problem, durationMs }) => ({
        problem: problem === null ? null : `The command failed: ${clause(problem)}.`,
        isUnusable: false,
        durationMs,
      })),
      Effect.catch(({ message }) =>
        Effect.succeed({
          problem: `The command couldn't run: ${message}`,
          isUnusable: true,
          durationMs: null,
        }),
      ),
      Effect.onInterrupt(() => Effect.sync(() => stopping.abort())),
    );
    return {
      ...ran,
      problem: ran.problem === null ? null : masked(ran.problem, "The command failed."),
      log: masked(log.replaceAll("\0", "").toWellFormed()).slice(-logMost).toWellFormed(),
    };
  });
