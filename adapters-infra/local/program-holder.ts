import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { LocalProcess, OrphanedRun } from "../../ports/process-runner.ts";
import type { Detach } from "../../ports/sandbox.ts";
import { type AdoptedRun, type HeldProgram, HolderConnection, type HoldOrder } from "./holder-connection.ts";
import { inheritableDescriptors } from "./inheritable-descriptors.ts";
import { localProcess, processTable } from "./process-table.ts";
import type { NotSpawned } from "./spawner.ts";

/** Starts programs by a process that outlives the service, and takes over what those of other services still hold. */
export interface ProgramHolder {
  /** The folders where the next service of this host finds the holders. */
  folders(): readonly string[];
  /** Starts the holder; resolves once it answers, or does not. */
  begin(): Promise<void>;
  /** null: there is no holder now. Resolves with null where it has ended meanwhile. */
  start(order: HoldOrder): Promise<HeldProgram | NotSpawned | null> | null;
  /** The run has a program that cannot be held, so that no other service can continue it. */
  markUnrecoverable(runId: string): void;
  /** The runs of holders in a folder that have lost their service. */
  leftIn(inFolder: string): Promise<readonly OrphanedRun[]>;
  /** Takes a run over; null: its holder has it not any more. */
  takeOver(run: OrphanedRun): Promise<AdoptedRun | null>;
  /** Whether the programs of the run outlive this service. */
  holds(runId: string): boolean;
  /** The run has ended; `isOver`: its programs, too. */
  release(runId: string, isOver: boolean): void;
  /** Ends what a holder has of a run that has ended. */
  end(run: OrphanedRun): void;
  /** Gives all held runs up to the next service. */
  leave(): void;
  /** Whether it has given up that run, or any. */
  hasLeft(runId?: string): boolean;
  close(): void;
}

const program = fileURLToPath(new URL("./holder-program.mjs", import.meta.url));
const beginMs = 10_000;
const pollMs = 20;

export interface HolderOptions {
  /** Adds rules of the firewall that last as long as the holder, which removes them; null: it has none. */
  readonly guard: ((holder: LocalProcess) => Promise<void>) | null;
  /** So that it inherits nothing of the service; null: it does. */
  readonly detach: Detach | null;
  readonly installation: InstallationId;
  /** For sockets; made where it is missing, closed to others. */
  readonly folder: string;
  /** Of all services of the database. */
  readonly key: Buffer;
  /** How long programs live without a service. */
  readonly handoverSec: number;
}

export const programHolder = ({
  detach,
  guard,
  installation,
  folder,
  key,
  handoverSec,
}: HolderOptions): ProgramHolder => {
  const name = `holder-${randomBytes(4).toString("hex")}`;
  const address = join(folder, name);
  const connections = new HolderConnections(key);
  const holders = new Map<string, HolderConnection>();
  /** Runs with a program that no holder has: another service could not repeat what their adapter has done. */
  const unheld = new Set<string>();
  let own: HolderConnection | null = null;
  let beginning: Promise<void> | null = null;
  let orphans: ReadonlySet<string> | null = null;
  const holds = (runId: string) => !unheld.has(runId) && holders.get(runId)?.hasEnded === false;
  const begin = async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pid = launch(detach, {
      ...{ installation, folder, name, key: key.toString("hex"), sec: handoverSec },
      guardPath: guard === null ? null : (process.env.PATH ?? ""),
    });
    // Before it gets a program.
    if (pid !== undefined) await guard?.(localProcess(processTable(), pid));
    own = await connections.openOnceItAnswers(address);
  };
  const beginOnce = () => {
    beginning ??= begin()
      .catch(() => {})
      .finally(() => {
        beginning = null;
      });
    return beginning;
  };
  return {
    begin: beginOnce,
    start: (order) => {
      if (orphans !== null) return null;
      if (own?.hasEnded === true) {
        own = null;
        connections.forget(address);
      }
      if (own === null) void beginOnce();
      const holder = holders.get(order.runId) ?? own;
      if (holder === null || holder.hasEnded) unheld.add(order.runId);
      if (holder === null || unheld.has(order.runId)) return null;
      holders.set(order.runId, holder);
      return holder.start(order);
    },
    markUnrecoverable: (runId) => {
      unheld.add(runId);
      holders.get(runId)?.tell("spoil", { runId });
    },
    folders: () => [...new Set([folder, ...connections.addresses().map(dirname)])],
    leftIn: (inFolder) => orphansIn(connections, inFolder),
    takeOver: async ({ runId, address: at }) => {
      const holder = await connections.to(at).catch(() => null);
      const adopted = (await holder?.takeOver(runId).catch(() => null)) ?? null;
      if (holder !== null && adopted !== null) holders.set(runId, holder);
      return adopted;
    },
    holds,
    release: (runId, isOver) => {
      holders.get(runId)?.tell("release", { runId, isOver });
      holders.delete(runId);
      unheld.delete(runId);
    },
    end: ({ runId, address: at }) => {
      connections.ifOpen(at, (holder) => holder.tell("release", { runId, isOver: false }));
    },
    leave: () => {
      orphans = new Set([...holders.keys()].filter(holds));
      connections.close();
    },
    hasLeft: (runId) => orphans !== null && (runId === undefined ? orphans.size > 0 : orphans.has(runId)),
    close: () => connections.close(),
  };
};

/** One connection to each holder, by its address. */
class HolderConnections {
  readonly #key: Buffer;
  readonly #open = new Map<string, Promise<HolderConnection>>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  addresses(): readonly string[] {
    return [...this.#open.keys()];
  }

  to(address: string): Promise<HolderConnection> {
    const known = this.#open.get(address) ?? HolderConnection.open(address, this.#key);
    this.#open.set(address, known);
    known.then(
      (connection) => connection.hasEnded && this.#open.delete(address),
      () => this.#open.delete(address),
    );
    return known;
  }

  /** Of a holder that begins; null: it does not answer in time. */
  async openOnceItAnswers(address: string): Promise<HolderConnection | null> {
    for (const until = performance.now() + beginMs; performance.now() < until; await pause(pollMs)) {
      const found = await HolderConnection.open(address, this.#key).catch(() => null);
      if (found === null) continue;
      this.#open.set(address, Promise.resolve(found));
      return found;
    }
    return null;
  }

  ifOpen(address: string, use: (holder: HolderConnection) => void): void {
    void this.#open.get(address)?.then(use, () => {});
  }

  forget(address: string): void {
    this.#open.delete(address);
  }

  close(): void {
    for (const address of this.#open.keys()) this.ifOpen(address, (each) => each.close());
  }
}

const orphansIn = async (connections: HolderConnections, folder: string): Promise<readonly OrphanedRun[]> => {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter((each) => isHolder.test(each)).map((each) => join(folder, each));
  const orphans = found.map(async (address) => {
    const runIds = await connections.to(address).then((holder) => holder.orphans(), removeDead(address));
    return runIds.map((runId) => ({ runId, address }));
  });
  return (await Promise.all(orphans)).flat();
};

const isHolder = /^holder-[0-9a-f]{8}$/;

/** The socket of a holder that was killed stays. */
const removeDead = (address: string) => async (error: NodeJS.ErrnoException) => {
  if (error.code === "ECONNREFUSED") await unlink(address).catch(() => {});
  return [];
};

const launch = (detach: Detach | null, config: Readonly<Record<string, unknown>>): number | undefined => {
  const holder = {
    command: process.execPath,
    args: ["--max-semi-space-size=1", program, ...inheritableDescriptors().map(String)],
    // It holds nothing of the service's; what the holder must know comes by its input.
    env: {},
  };
  const { command, args, env } = detach?.(holder) ?? holder;
  const child = spawn(command, args, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(config));
  child.unref();
  return child.pid;
};
