import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { pipeline } from "node:stream";
import { clause } from "../../core/model/shared/sentence.ts";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import type { ProgramView, Sandbox } from "../../ports/sandbox.ts";
import { type GitSetting, gitEnvironment } from "./git-settings.ts";

/** A folder that a call sees, at its own path. */
export interface SeenFolder {
  readonly path: string;
  readonly access: "read" | "write";
}

export interface GitCall {
  /** The arguments of git; or a program of the system with its arguments. */
  readonly args: readonly string[];
  readonly program?: string;
  /** Nothing else of the service is there. */
  readonly folders: readonly SeenFolder[];
  readonly settings?: readonly GitSetting[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it speaks to a host. */
  readonly isOnline?: boolean;
  readonly input?: AsyncIterable<Uint8Array> | string;
  /** Default 60. */
  readonly limitSec?: number;
  /** Default 1 GiB. */
  readonly memoryBytes?: number;
  /** Default 16 MiB; a call that prints more is ended. */
  readonly outputBytes?: number;
  readonly aborted?: AbortSignal;
}

export interface GitOutcome {
  /** null: it was ended. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  /** The last 8 KiB. */
  readonly stderr: string;
  /** Why the service ended it; null: it ended by itself. */
  readonly ended: "time" | "output" | "aborted" | null;
}

/** A call in progress, whose output is read as it arrives. */
export interface GitStream {
  readonly output: AsyncIterable<Uint8Array>;
  readonly outcome: Promise<Omit<GitOutcome, "stdout">>;
  end(): void;
}

export interface GitPrograms {
  readonly git: string;
  readonly sandbox: Sandbox;
  /** null: the service's own user. */
  readonly user: AgentUser | null;
}

const gib = 2 ** 30;

/** Runs git of the service: enclosed, as a user of its own, with nothing but the folders it is given. */
export class Git {
  readonly #programs: GitPrograms;

  constructor(programs: GitPrograms) {
    this.#programs = programs;
  }

  /** Collects the output. Never rejects for what git does. */
  async run(call: GitCall): Promise<GitOutcome> {
    const limit = call.outputBytes ?? 16 * 2 ** 20;
    const { child, outcome, end } = this.#start(call);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      const room = limit - bytes;
      bytes += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      if (bytes > limit) end("output");
    });
    return { ...(await outcome), stdout: Buffer.concat(chunks) };
  }

  /**
   * Collects the output of a call that must succeed.
   * @throws StoreFailed
   */
  async expect(call: GitCall): Promise<Buffer> {
    const outcome = await this.run(call);
    if (outcome.exitCode === 0) return outcome.stdout;
    throw new StoreFailed(whyFailed(outcome));
  }

  stream(call: GitCall): GitStream {
    const { child, outcome, end } = this.#start(call);
    // Without a listener Node discards at the child's exit what nobody has read yet.
    child.stdout.on("readable", () => {});
    return { output: child.stdout, outcome, end: () => end("aborted") };
  }

  #start(call: GitCall) {
    const { git, sandbox, user } = this.#programs;
    const start = sandbox.enclose({
      command: call.program ?? git,
      args: call.args,
      cwd: "/usr",
      env: { ...gitEnvironment(call.settings ?? []), ...call.env },
      user,
      view: viewOf(call.folders),
      network: call.isOnline === true ? "machine" : "none",
      addressSpaceBytes: call.memoryBytes ?? gib,
    });
    // A group of its own: the wrapper's end is the end of all its processes.
    const child = spawn(start.command, start.args, { env: start.env, cwd: "/", detached: true });
    let ended: GitOutcome["ended"] = null;
    const end = (why: NonNullable<GitOutcome["ended"]>) => {
      if (ended !== null || child.exitCode !== null || child.signalCode !== null) return;
      ended = why;
      kill(child);
    };
    const timer = setTimeout(() => end("time"), (call.limitSec ?? 60) * 1_000);
    const abort = () => end("aborted");
    if (call.aborted?.aborted === true) abort();
    call.aborted?.addEventListener("abort", abort, { once: true });
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-8_192);
    });
    feed(child, call.input);
    const outcome = new Promise<Omit<GitOutcome, "stdout">>((resolve) => {
      const finish = (exitCode: number | null) => {
        clearTimeout(timer);
        call.aborted?.removeEventListener("abort", abort);
        resolve({ exitCode: ended === null ? exitCode : null, stderr: output, ended });
      };
      child.once("error", (error) => {
        output = error.message;
        finish(null);
      });
      child.once("close", finish);
    });
    return { child, outcome, end };
  }
}

/** A source that fails ends the input early, so that git notices and clears away what it has begun. */
const feed = (child: ChildProcessWithoutNullStreams, input: GitCall["input"]): void => {
  child.stdin.on("error", () => {
    // It has ended without reading all.
  });
  if (input === undefined || typeof input === "string") {
    child.stdin.end(input ?? "");
    return;
  }
  pipeline(input, child.stdin, () => child.stdin.destroy());
};

const kill = (child: ChildProcessWithoutNullStreams): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
};

/** Only mounts are read of it. */
const viewOf = (folders: readonly SeenFolder[]): ProgramView => ({
  roots: folders.map((each) => ({ ...each, identity: null })),
  links: [],
  locate: (path) => path,
  isWritable: () => false,
  whyHidden: () => null,
});

/** The reason in git's words, without what a caller could not use. */
export const whyFailed = ({ exitCode, stderr, ended }: Omit<GitOutcome, "stdout">): string => {
  if (ended === "time") return "Git exceeded its time limit and was stopped.";
  if (ended === "output") return "Git's output exceeded its limit, so it was stopped.";
  if (ended === "aborted") return "Git was stopped.";
  if (/out of memory|memory exhausted|mmap failed|Cannot allocate/i.test(stderr))
    return "Git needs more memory than it may use here.";
  if (/No space left on device/i.test(stderr)) return "The disk of the service is full.";
  const line = stderr
    .split("\n")
    .map((each) => each.trim())
    .find((each) => /^(fatal|error):/.test(each));
  const message = (line ?? stderr.trim().split("\n").at(-1) ?? "").replace(/\p{Cc}/gu, " ").slice(0, 300);
  return message === "" ? `Git ended with ${exitCode ?? "a signal"}.` : `Git failed: ${clause(message)}.`;
};

/** Whether git failed for a lock that another process has, or has left. */
export const namesLock = (message: string): boolean => /\.lock'|cannot lock ref/i.test(message);
