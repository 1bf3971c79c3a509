import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { Detach } from "../../ports/sandbox.ts";
import { inheritableDescriptors } from "./inheritable-descriptors.ts";
import type { StreamPaths } from "./program-streams.ts";

/** A program to start; its environment holds secrets, so that nothing of it appears on a command line. */
export interface SpawnOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: AgentUser | Record<never, never>;
  readonly streams: StreamPaths;
  /** A file that the program gets as descriptor 3, open for writing; null: it gets none. */
  readonly entrance: string | null;
}

export interface Spawned {
  readonly pid: number;
  /** Its line of the process table at its start. */
  readonly stat: string;
  /** null: the spawner has ended before the program. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null } | null>;
}

/** Why a program was not started: a code of the system. */
export interface NotSpawned {
  readonly failed: string;
}

/** The spawner has ended, or does not answer: whether the program was started is unknown. */
export class SpawnerLost extends Error {
  constructor() {
    super("The process that starts programs has ended.");
  }
}

/** Starts programs from a small process next to the service, because a fork of the service costs many times as much. */
export interface Spawner {
  /**
   * Starts a program as leader of a session. Returns null while no spawner is ready, which is then started for later
   * programs. Rejects with SpawnerLost.
   */
  start(order: SpawnOrder): Promise<Spawned | NotSpawned> | null;
  /** Ends the spawner and starts no other. */
  end(): Promise<void>;
}

const program = fileURLToPath(new URL("./spawner-program.mjs", import.meta.url));
/** A spawner that answers later than this is ended. */
const answerMs = 30_000;
/** How long a spawner without programs stays. */
const idleMs = 60_000;

type SpawnerMessage = { readonly id: number } & (
  | { readonly failed: string }
  | { readonly pid: number; readonly stat: string }
  | { readonly exit: { readonly code: number | null; readonly signal: string | null } }
);

/** `detach`: so that it inherits nothing of the service; null: it does. */
export const spawner = (detach: Detach | null = null): Spawner => {
  let current: Running | null = null;
  let ended = false;
  return {
    start: (order) => {
      if (ended) return null;
      if (current === null || current.hasEnded) current = new Running(detach);
      return current.isReady ? current.start(order) : null;
    },
    end: async () => {
      ended = true;
      await current?.end();
    },
  };
};

interface Pending {
  started(message: SpawnerMessage): void;
  ended(exit: { code: number | null; signal: string | null } | null): void;
  lost(): void;
}

/** One spawner process. */
class Running {
  isReady = false;
  hasEnded = false;
  readonly #child: ChildProcess;
  readonly #programs = new Map<number, Pending>();
  #lastId = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(detach: Detach | null) {
    const node = { command: process.execPath, args: ["--max-semi-space-size=1"], env: {} };
    const { command, args, env } = detach?.(node) ?? node;
    this.#child = fork(program, inheritableDescriptors().map(String), {
      // Its memory and its environment hold nothing of the service's.
      env,
      execPath: command,
      execArgv: [...args],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Ctrl-C in a terminal must not reach it.
      detached: true,
    });
    this.#child.on("error", () => this.#end());
    this.#child.on("exit", () => this.#end());
    this.#child.on("message", (message) =>
      this.#receive(message as SpawnerMessage | { readonly ready: true }),
    );
    for (const each of [this.#child, this.#child.channel]) each?.unref();
  }

  async start(order: SpawnOrder): Promise<Spawned | NotSpawned> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const id = ++this.#lastId;
    let end: Pending["ended"] = () => {};
    const exited = new Promise<Awaited<Spawned["exited"]>>((resolve) => {
      end = resolve;
    });
    const answer = new Promise<SpawnerMessage>((resolve, reject) => {
      this.#programs.set(id, {
        started: resolve,
        ended: end,
        lost: () => {
          reject(new SpawnerLost());
          end(null);
        },
      });
    });
    const late = setTimeout(() => this.#end(), answerMs);
    try {
      this.#child.send({ id, ...order }, (error) => {
        if (error !== null) this.#end();
      });
      const message = await answer;
      if ("failed" in message) {
        this.#forget(id);
        return message;
      }
      const { pid, stat } = message as Extract<SpawnerMessage, { pid: number }>;
      return { pid, stat, exited };
    } finally {
      clearTimeout(late);
    }
  }

  async end(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (exitCode !== null || signalCode !== null || pid === undefined) return;
    this.#child.ref();
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#end();
    await exited;
  }

  #receive(message: SpawnerMessage | { readonly ready: true }): void {
    if ("ready" in message) {
      this.isReady = true;
      return;
    }
    const pending = this.#programs.get(message.id);
    if (pending === undefined) return;
    if ("exit" in message) {
      this.#forget(message.id);
      pending.ended(message.exit);
    } else pending.started(message);
  }

  #forget(id: number): void {
    this.#programs.delete(id);
    if (this.#programs.size > 0) return;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), idleMs).unref();
  }

  /** Also ends the process, so that it starts nothing that nobody supervises. */
  #end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.isReady = false;
    this.#child.kill("SIGKILL");
    for (const { lost } of this.#programs.values()) lost();
    this.#programs.clear();
  }
}
