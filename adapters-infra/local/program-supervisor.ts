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
import { inheritableDescriptors } from "./inheritable-descriptors.ts";
import { localProcess, processTable } from "./process-table.ts";
import type { NotSpawned } from "./spawner.ts";
import {
  type AdoptedRun,
  type HoldOrder,
  type SupervisedProgram,
  SupervisorConnection,
} from "./supervisor-connection.ts";

/** Starts programs by a process that outlives the service, and takes over what those of other services still hold. */
export interface ProgramSupervisor {
  /** The folders where the next service of this host finds the supervisors. */
  folders(): readonly string[];
  /** Starts the supervisor; resolves once it answers, or does not. */
  begin(): Promise<void>;
  /** null: there is no supervisor now. Resolves with null where it has ended meanwhile. */
  start(order: HoldOrder): Promise<SupervisedProgram | NotSpawned | null> | null;
  /** The run has a program that cannot be held, so that no other service can continue it. */
  markUnrecoverable(runId: string): void;
  /** The runs of supervisors in a folder that have lost their service. */
  orphansIn(inFolder: string): Promise<readonly OrphanedRun[]>;
  /** Takes a run over; null: its supervisor has it not any more. */
  takeOver(run: OrphanedRun): Promise<AdoptedRun | null>;
  /** Whether the programs of the run outlive this service. */
  supervises(runId: string): boolean;
  /** The run has ended; `isOver`: its programs, too. */
  release(runId: string, isOver: boolean): void;
  /** Ends what a supervisor has of a run that has ended. */
  end(run: OrphanedRun): void;
  /** Gives all held runs up to the next service. */
  leave(): void;
  /** Whether it has given up that run, or any. */
  hasDetached(runId?: string): boolean;
  close(): void;
}

const program = fileURLToPath(new URL("./supervisor-program.mjs", import.meta.url));
const beginMs = 10_000;
const pollMs = 20;

export interface SupervisorOptions {
  /** Adds rules of the firewall that last as long as the supervisor, which removes them; null: it has none. */
  readonly guard: ((supervisor: LocalProcess) => Promise<void>) | null;
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

export const programSupervisor = ({
  detach,
  guard,
  installation,
  folder,
  key,
  handoverSec,
}: SupervisorOptions): ProgramSupervisor => {
  const name = `supervisor-${randomBytes(4).toString("hex")}`;
  const address = join(folder, name);
  const connections = new SupervisorConnections(key);
  const supervisors = new Map<string, SupervisorConnection>();
  /** Runs with a program that no supervisor has: another service could not repeat what their adapter has done. */
  const unheld = new Set<string>();
  let own: SupervisorConnection | null = null;
  let beginning: Promise<void> | null = null;
  let orphans: ReadonlySet<string> | null = null;
  const supervises = (runId: string) => !unheld.has(runId) && supervisors.get(runId)?.hasEnded === false;
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
      const supervisor = supervisors.get(order.runId) ?? own;
      if (supervisor === null || supervisor.hasEnded) unheld.add(order.runId);
      if (supervisor === null || unheld.has(order.runId)) return null;
      supervisors.set(order.runId, supervisor);
      return supervisor.start(order);
    },
    markUnrecoverable: (runId) => {
      unheld.add(runId);
      supervisors.get(runId)?.tell("spoil", { runId });
    },
    folders: () => [...new Set([folder, ...connections.addresses().map(dirname)])],
    orphansIn: (inFolder) => orphansIn(connections, inFolder),
    takeOver: async ({ runId, address: at }) => {
      const supervisor = await connections.to(at).catch(() => null);
      const adopted = (await supervisor?.takeOver(runId).catch(() => null)) ?? null;
      if (supervisor !== null && adopted !== null) supervisors.set(runId, supervisor);
      return adopted;
    },
    supervises,
    release: (runId, isOver) => {
      supervisors.get(runId)?.tell("release", { runId, isOver });
      supervisors.delete(runId);
      unheld.delete(runId);
    },
    end: ({ runId, address: at }) => {
      connections.ifOpen(at, (supervisor) => supervisor.tell("release", { runId, isOver: false }));
    },
    leave: () => {
      orphans = new Set([...supervisors.keys()].filter(supervises));
      connections.close();
    },
    hasDetached: (runId) => orphans !== null && (runId === undefined ? orphans.size > 0 : orphans.has(runId)),
    close: () => connections.close(),
  };
};

/** One connection to each supervisor, by its address. */
class SupervisorConnections {
  readonly #key: Buffer;
  readonly #open = new Map<string, Promise<SupervisorConnection>>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  addresses(): readonly string[] {
    return [...this.#open.keys()];
  }

  to(address: string): Promise<SupervisorConnection> {
    const known = this.#open.get(address) ?? SupervisorConnection.open(address, this.#key);
    this.#open.set(address, known);
    known.then(
      (connection) => connection.hasEnded && this.#open.delete(address),
      () => this.#open.delete(address),
    );
    return known;
  }

  /** Of a supervisor that begins; null: it does not answer in time. */
  async openOnceItAnswers(address: string): Promise<SupervisorConnection | null> {
    for (const until = performance.now() + beginMs; performance.now() < until; await pause(pollMs)) {
      const found = await SupervisorConnection.open(address, this.#key).catch(() => null);
      if (found === null) continue;
      this.#open.set(address, Promise.resolve(found));
      return found;
    }
    return null;
  }

  ifOpen(address: string, use: (supervisor: SupervisorConnection) => void): void {
    void this.#open.get(address)?.then(use, () => {});
  }

  forget(address: string): void {
    this.#open.delete(address);
  }

  close(): void {
    for (const address of this.#open.keys()) this.ifOpen(address, (each) => each.close());
  }
}

const orphansIn = async (
  connections: SupervisorConnections,
  folder: string,
): Promise<readonly OrphanedRun[]> => {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter((each) => isSupervisor.test(each)).map((each) => join(folder, each));
  const orphans = found.map(async (address) => {
    const runIds = await connections
      .to(address)
      .then((supervisor) => supervisor.orphans(), removeDead(address));
    return runIds.map((runId) => ({ runId, address }));
  });
  return (await Promise.all(orphans)).flat();
};

const isSupervisor = /^supervisor-[0-9a-f]{8}$/;

/** The socket of a supervisor that was killed stays. */
const removeDead = (address: string) => async (error: NodeJS.ErrnoException) => {
  if (error.code === "ECONNREFUSED") await unlink(address).catch(() => {});
  return [];
};

const launch = (detach: Detach | null, config: Readonly<Record<string, unknown>>): number | undefined => {
  const supervisor = {
    command: process.execPath,
    args: ["--max-semi-space-size=1", program, ...inheritableDescriptors().map(String)],
    // It holds nothing of the service's; what the supervisor must know comes by its input.
    env: {},
  };
  const { command, args, env } = detach?.(supervisor) ?? supervisor;
  const child = spawn(command, args, { env, stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(config));
  child.unref();
  return child.pid;
};
