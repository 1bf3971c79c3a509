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
  spoil(runId: string): void;
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
  const connections = new Map<string, Promise<HolderConnection>>();
  const holders = new Map<string, HolderConnection>();
  /** Runs with a program that no holder has: another service could not repeat what their adapter has done. */
  const unheld = new Set<string>();
  let own: HolderConnection | null = null;
  let beginning: Promise<void> | null = null;
  let left: ReadonlySet<string> | null = null;
  const holds = (runId: string) => !unheld.has(runId) && holders.get(runId)?.hasEnded === false;
  const connected = (to: string): Promise<HolderConnection> => {
    const known = connections.get(to) ?? HolderConnection.open(to, key);
    connections.set(to, known);
    known.then(
      (connection) => connection.hasEnded && connections.delete(to),
      () => connections.delete(to),
    );
    return known;
  };
  const begin = async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pid = launch(detach, {
      ...{ installation, folder, name, key: key.toString("hex"), sec: handoverSec },
      guardPath: guard === null ? null : (process.env.PATH ?? ""),
    });
    // Before it gets a program.
    if (pid !== undefined) await guard?.(localProcess(processTable(), pid));
    for (
      const until = performance.now() + beginMs;
      own === null && performance.now() < until;
      await pause(pollMs)
    )
      own = await HolderConnection.open(address, key).catch(() => null);
    if (own !== null) connections.set(address, Promise.resolve(own));
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
      if (left !== null) return null;
      if (own?.hasEnded === true) {
        own = null;
        connections.delete(address);
      }
      if (own === null) void beginOnce();
      const holder = holders.get(order.runId) ?? own;
      if (holder === null || holder.hasEnded) unheld.add(order.runId);
      if (holder === null || unheld.has(order.runId)) return null;
      holders.set(order.runId, holder);
      return holder.start(order);
    },
    spoil: (runId) => {
      unheld.add(runId);
      holders.get(runId)?.tell("spoil", { runId });
    },
    folders: () => [...new Set([folder, ...[...connections.keys()].map(dirname)])],
    leftIn: async (inFolder) => {
      const names = await readdir(inFolder).catch(() => []);
      const found = names.filter((each) => isHolder.test(each)).map((each) => join(inFolder, each));
      const left = found.map(async (address) => {
        const runIds = await connected(address).then((holder) => holder.left(), removeDead(address));
        return runIds.map((runId) => ({ runId, address }));
      });
      return (await Promise.all(left)).flat();
    },
    takeOver: async ({ runId, address: at }) => {
      try {
        const holder = await connected(at);
        const taken = await holder.takeOver(runId);
        if (taken !== null) holders.set(runId, holder);
        return taken;
      } catch {
        return null;
      }
    },
    holds,
    release: (runId, isOver) => {
      holders.get(runId)?.tell("release", { runId, isOver });
      holders.delete(runId);
      unheld.delete(runId);
    },
    end: ({ runId, address: at }) => {
      void connections.get(at)?.then(
        (holder) => holder.tell("release", { runId, isOver: false }),
        () => {},
      );
    },
    leave: () => {
      left = new Set([...holders.keys()].filter(holds));
      for (const connection of connections.values())
        void connection.then(
          (each) => each.close(),
          () => {},
        );
    },
    hasLeft: (runId) => left !== null && (runId === undefined ? left.size > 0 : left.has(runId)),
    close: () => {
      for (const connection of connections.values())
        void connection.then(
          (each) => each.close(),
          () => {},
        );
    },
  };
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
