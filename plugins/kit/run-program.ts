import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { ProcessOutcome, ProcessSpec } from "../../ports/agent-adapter.ts";

export interface ProgramContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Runs a program like the service, for an adapter's own tests: no shell, its own process group, SIGTERM at its time
 * limit and SIGKILL after the grace period. In the service `context.runProcess` replaces it, which also logs, masks and
 * finds descendants that have left the group.
 */
export const runProgram = (spec: ProcessSpec, around: ProgramContext): Promise<ProcessOutcome> =>
  new Promise((resolve) => {
    if (!(spec.timeoutSec > 0 && spec.graceSec > 0)) {
      const startError = "timeoutSec and graceSec must be positive numbers of seconds.";
      const none = { exitCode: null, signal: null, timedOut: false, stopped: false, endedAfterResult: false };
      return resolve({ ...none, stderrTail: "", startError });
    }
    const env: Record<string, string> = { ...around.env, ...spec.env };
    for (const name of spec.unsetEnv ?? []) delete env[name];
    const child = spawn(spec.command, [...spec.args], {
      cwd: spec.cwd ?? around.cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const state = { timedOut: false, stopped: false, endedAfterResult: false };
    let stderrTail = "";
    let rest = "";
    let kill: NodeJS.Timeout | undefined;
    const signalGroup = (signal: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // It has exited already.
      }
    };
    const end = (why: keyof typeof state) => {
      if (kill !== undefined) return;
      state[why] = true;
      signalGroup("SIGTERM");
      kill = setTimeout(() => signalGroup("SIGKILL"), spec.graceSec * 1000);
    };
    const limit = setTimeout(() => end("timedOut"), spec.timeoutSec * 1000);
    let leave: NodeJS.Timeout | undefined;
    const stop = () => end("stopped");
    if (around.signal.aborted) stop();
    else around.signal.addEventListener("abort", stop, { once: true });
    let isOver = false;
    const heard = (isResult: boolean | undefined) => {
      if (isResult === true && !isOver) leave ??= setTimeout(() => end("endedAfterResult"), 5_000);
    };
    const line = (text: string) => {
      const handled = spec.onStdoutLine?.(text);
      if (handled instanceof Promise) void handled.then(heard, () => {});
      else heard(handled);
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) line(text);
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderrTail = (stderrTail + chunk).slice(-4096);
    });
    feed(child.stdin, spec);
    const finish = (exitCode: number | null, signal: string | null, startError?: string) => {
      isOver = true;
      for (const timer of [limit, kill, leave]) clearTimeout(timer);
      around.signal.removeEventListener("abort", stop);
      if (rest !== "") line(rest);
      clearTimeout(leave);
      signalGroup("SIGKILL");
      resolve({
        exitCode,
        signal,
        ...state,
        stderrTail,
        ...(startError === undefined ? {} : { startError }),
      });
    };
    child.on("error", (error) =>
      finish(null, null, `${spec.command} could not be started: ${error.message}`),
    );
    child.on("close", (code, signal) => finish(code, signal));
  });

const feed = (stdin: Writable, { onInput, stdin: text }: ProcessSpec): void => {
  stdin.on("error", () => {});
  if (onInput === undefined) stdin.end(text ?? "");
  else
    onInput({
      write: (more) => void (stdin.writable && stdin.write(more)),
      end: () => void stdin.end(),
    });
};
