import { chmodSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as Effect from "effect/Effect";
import { liveRunStatuses } from "../../core/model/runs/run-status.ts";
import type { LogStream, ProcessOutcome, ProgramInput } from "../../ports/agent-adapter.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { childProcessRunner } from "../local/child-process-runner.ts";
import { countIn, limitsMet } from "../local/limits-met.ts";
import { withoutGroups } from "../local/run-groups.ts";
import { messagesOf } from "./helper-input.ts";
import { type Frame, type HelperFence, type HelperSpec, maxFrameBytes } from "./protocol.ts";

// Process 1 of a pod or container: runs one program, and prints its output as numbered frames. It starts no second one.

const askEveryMs = 3_000;

const specFile = process.argv[2] ?? "";
const spec = JSON.parse(readFileSync(specFile, "utf8")) as HelperSpec;
// The program has it in its own environment; nobody needs it on a disk. A Secret of Kubernetes stays until its pod goes.
try {
  unlinkSync(specFile);
} catch {
  // Read-only.
}
const stop = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop.abort());

let frames = 0;
/** Resolves when the engine has taken the frame. */
const print = (frame: Omit<Frame, "n" | "t">): Promise<void> =>
  new Promise((resolve) => {
    frames += 1;
    process.stdout.write(`${JSON.stringify({ n: frames, t: Date.now(), ...frame })}\n`, () => resolve());
  });

const printOutput = async (stream: LogStream, chunk: Uint8Array): Promise<void> => {
  const s = stream === "stderr" ? "e" : "o";
  for (let at = 0; at < chunk.length; at += maxFrameBytes)
    await print({ s, d: Buffer.from(chunk.subarray(at, at + maxFrameBytes)).toString("base64") });
};

/** Ends the program when its run has ended or must stop, or the service has not answered for the time of the fence. */
const watchFence = ({ url, token, withinSec }: HelperFence): void => {
  let answeredAt = performance.now();
  const ask = async () => {
    try {
      const answer = await fetch(url, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(askEveryMs),
      });
      answeredAt = performance.now();
      if (answer.status === 401 || answer.status === 403 || answer.status === 404) stop.abort();
      else if (answer.ok) {
        const run = (await answer.json()) as { status?: unknown; stopRequestedAt?: unknown };
        const isLive = liveRunStatuses.some((live) => live === run.status);
        if (!isLive || typeof run.stopRequestedAt === "string") stop.abort();
      }
    } catch {
      // It did not answer.
    }
    if (performance.now() - answeredAt > withinSec * 1000) stop.abort();
  };
  setInterval(() => void ask(), askEveryMs).unref();
};

const layOut = (): void => {
  for (const { path, executable, base64 } of spec.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(base64, "base64"), { mode: executable ? 0o755 : 0o644 });
  }
  for (const folder of spec.folders) close(folder);
};

/** Makes a folder for its user alone, whatever an earlier program has made of it. */
const close = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  try {
    chmodSync(folder, 0o700);
  } catch {
    // It belongs to another user.
  }
};

const ofImage = Object.fromEntries(
  ["PATH", "LANG", "TZ"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

const run = (): Promise<ProcessOutcome> => {
  layOut();
  if (spec.fence !== null) watchFence(spec.fence);
  const { runId, cwd, env, program } = spec;
  const input = messagesOf(process.stdin, (upTo) => void print({ s: "i", i: upTo }));
  const onInput = (open: ProgramInput) => {
    void print({ s: "i", i: 0 });
    input.listen(open);
  };
  if (!spec.hasOpenInput) input.listen(null);
  return Effect.runPromise(
    childProcessRunner({ installation: spec.installation, groups: withoutGroups }).run(
      spec.hasOpenInput ? { ...program, onInput } : program,
      {
        runId,
        workspace: {
          companyId: null,
          agentId: null,
          cwd,
          own: [],
          granted: [],
          files: cwd,
          user: null,
          env: {},
        },
        env: { ...ofImage, ...env },
        stop: stop.signal,
        waits: input.waits,
        onStarted: () => Effect.void,
        onOutput: (stream, chunk) => Effect.promise(() => printOutput(stream, chunk)),
      },
    ),
  );
};

const outcome = await run().catch(
  (error: unknown): ProcessOutcome => ({
    ...nothingHappened,
    startError: `The program could not be prepared where it runs: ${(error as Error).message}`,
  }),
);
/** Counts in the container's group: cgroup v2, or v1. */
const count = (name: string, ...files: readonly string[]): number =>
  files.reduce((sum, file) => sum + countIn(`/sys/fs/cgroup/${file}`, name), 0);
const met = limitsMet(outcome, {
  memoryKills: count("oom_kill", "memory.events", "memory/memory.oom_control"),
  refusedForks: count("max", "pids.events", "pids/pids.events"),
});
await print({ s: "x", x: { ...outcome, ...met } });
process.exit(0);
