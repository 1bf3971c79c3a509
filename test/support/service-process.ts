import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { locateBinaries } from "../../adapters-infra/postgres/embedded-binaries.ts";

/** A process that runs `server-holder.ts`. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The result of its start: the URL of its database server, or the claimed directory. Rejects where it failed. */
  readonly ready: Promise<{ readonly ready: string; readonly pid: number; readonly startMs: number }>;
  readonly failed: Promise<{ readonly failed: string; readonly kind: string; readonly pid?: number }>;
  readonly logs: readonly string[];
  readonly exited: Promise<number | string>;
  /** Sends SIGTERM and waits. */
  stop(): Promise<number | string>;
}

export interface Holders {
  start(
    options: Record<string, unknown>,
    as?: {
      readonly uid?: number;
      readonly env?: Record<string, string>;
      readonly through?: readonly string[];
    },
  ): ServiceProcess;
  /** Ends every started process that still runs. */
  dispose(): Promise<void>;
}

/** Builds the program once, in a temporary folder that every user may read. */
export const serverHolders = async (): Promise<Holders> => {
  const tempFolder = await mkdtemp(join(tmpdir(), "boardroom-holder-"));
  await chmod(tempFolder, 0o755);
  const outfile = join(tempFolder, "server-holder.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "server-holder.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  const started: ServiceProcess[] = [];
  return {
    start: (options, as = {}) => {
      const [command = process.execPath, ...args] = [
        ...(as.through ?? []),
        process.execPath,
        outfile,
        JSON.stringify({ binaries: locateBinaries() ?? undefined, ...options }),
      ];
      const service = attend(
        spawn(command, args, {
          cwd: "/",
          stdio: ["ignore", "pipe", "inherit"],
          env: { PATH: process.env.PATH, ...as.env },
          ...(as.uid === undefined ? {} : { uid: as.uid, gid: as.uid }),
        }),
      );
      started.push(service);
      return service;
    },
    dispose: async () => {
      await Promise.all(started.map((service) => service.stop()));
      await rm(tempFolder, { recursive: true, force: true });
    },
  };
};

const attend = (child: ChildProcess): ServiceProcess => {
  const logs: string[] = [];
  const exited = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const event = <E>(name: string) =>
    new Promise<E>((resolve, reject) => {
      createInterface({ input: child.stdout! }).on("line", (line) => {
        const message = JSON.parse(line) as Record<string, unknown>;
        if (name in message) resolve(message as E);
      });
      void exited.then((how) => reject(new Error(`the service ended (${how}): ${logs.join("\n")}`)));
    });
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const message = JSON.parse(line) as { log?: string; failed?: string };
    if (message.log ?? message.failed) logs.push(message.log ?? message.failed ?? "");
  });
  const ready = event<{ ready: string; pid: number; startMs: number }>("ready");
  const failed = event<{ failed: string; kind: string; pid?: number }>("failed");
  ready.catch(() => {});
  failed.catch(() => {});
  return {
    child,
    pid: child.pid ?? 0,
    ready,
    failed,
    logs,
    exited,
    stop: () => {
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      return exited;
    },
  };
};
