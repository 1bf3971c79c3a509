import * as Effect from "effect/Effect";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";

export interface TextReader {
  /** The runner of the service's machine. */
  readonly processes: ProcessRunner;
  readonly workspace: Workspace;
  readonly runId: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stop: AbortSignal;
}

/** The size limit of any text. */
const maxBytes = 512 * 1024;
const limitSec = 20;

const script = `
PATH=/usr/local/bin:/usr/bin:/bin:$PATH
if [ ! -e "$1" ]; then exit 3; fi
if [ ! -f "$1" ]; then exit 4; fi
if [ ! -r "$1" ]; then exit 5; fi
head -c ${maxBytes + 1} -- "$1"
`;

/** By the script's exit codes. */
const refusals: Readonly<Record<number, string>> = {
  3: "No such file where the agents' user can see it: put it into the agent's workspace or home, or have an instance admin show it.",
  4: "Not a file.",
  5: "The agents' user may not read it.",
};

/**
 * Reads a text by a program on the service's machine, which is the user of the workspace in the view of its programs: it
 * finds what agents find, and what an agent puts in place of a file stops neither the service nor others. Nothing of it
 * reaches the run's log. The refusal is a sentence.
 */
export const readText = (
  { processes, workspace, runId, env, stop }: TextReader,
  path: string,
): Effect.Effect<{ readonly text: string } | { readonly refusal: string }> =>
  Effect.suspend(() => {
    const lines: string[] = [];
    return processes
      .run(
        {
          command: "/bin/sh",
          args: ["-c", script, "read", path],
          timeoutSec: limitSec,
          graceSec: 1,
          onStdoutLine: (line) => {
            lines.push(line);
            return undefined;
          },
        },
        {
          runId,
          workspace,
          env,
          stop,
          onStarted: () => Effect.void,
          onOutput: () => Effect.void,
        },
      )
      .pipe(
        Effect.map((outcome) => {
          const text = lines.join("\n");
          const refusal = refusalOf(outcome, text);
          return refusal === null ? { text } : { refusal };
        }),
      );
  });

const refusalOf = ({ startError, stopped, timedOut, exitCode }: ProcessOutcome, text: string) => {
  if (startError !== undefined) return startError;
  if (stopped) return "The run was stopped.";
  if (timedOut) return `Reading it took longer than ${limitSec} seconds.`;
  if (Buffer.byteLength(text) > maxBytes) return `Longer than ${maxBytes / 1024} KiB.`;
  return exitCode === 0 ? null : (refusals[exitCode ?? -1] ?? "It cannot be read.");
};
