import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";

/** The program as it is installed: `node dist/boardroom.js`. */
export const program = fileURLToPath(new URL("../../dist/boardroom.js", import.meta.url));

/** `boardroom serve` as a separate process. */
export interface ServiceProgram {
  readonly child: ChildProcess;
  readonly url: string;
  readonly dataDir: string;
  token(): Promise<string>;
  /** Calls as the first board user. */
  board(): Promise<Client>;
  /** Its output on standard output and standard error so far. */
  output(): string;
  /** Requests it to stop; resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Another copy of the program. */
  readonly program?: string;
  /** Put before the command, such as `setpriv --reuid=65534`. */
  readonly through?: readonly string[];
  /** Starts it as leader of a process group, as a shell does. */
  readonly ownGroup?: boolean;
}

const launch = (
  dataDir: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  around: StartOptions,
) => {
  const [command = "", ...rest] = [
    ...(around.through ?? []),
    process.execPath,
    around.program ?? program,
    "serve",
    ...args,
  ];
  const child = spawn(command, rest, {
    cwd: around.cwd,
    detached: around.ownGroup ?? false,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      SERVICE_SANDBOX: process.env.SERVICE_SANDBOX,
      SERVICE_RATE_PER_CALLER: "0",
      SERVICE_RATE_PER_COMPANY: "0",
      SERVICE_MAX_WAIT_MS: "0",
      SERVICE_DATA_DIR: dataDir,
      // Tests kill processes, and never cut the power.
      SERVICE_DATABASE_DURABLE: "false",
      // For each connection its server starts a process: of eight they are a tenth of the time of a start and a stop.
      SERVICE_DATABASE_POOL: "6",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  return { child, output: () => printed, exited: once(child, "close") };
};

/** Starts it; resolves when it listens. A worker never listens: it counts as started when it prints that it works. */
export const serveProgram = (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  around: StartOptions = {},
): Promise<ServiceProgram> => startProgram(dataDir, env, args, around).listening;

/** Starts it; for one that is to end before it listens. */
export const startProgram = (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  around: StartOptions = {},
): { readonly child: ChildProcess; readonly listening: Promise<ServiceProgram> } => {
  const launched = launch(dataDir, env, args, around);
  return { child: launched.child, listening: whenListening(dataDir, launched) };
};

const whenListening = async (
  dataDir: string,
  { child, output, exited }: ReturnType<typeof launch>,
): Promise<ServiceProgram> => {
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const match = /boardroom (?:listening on (\S+)|working)/.exec(output());
      if (match) resolve(match[1] ?? "");
    });
    void exited.then(() => reject(new Error(`the service did not start:\n${output()}`)));
  });
  const token = async () => (await readFile(join(dataDir, "board-token"), "utf8")).trim();
  return {
    child,
    url,
    dataDir,
    token,
    board: async () => openClient(httpTransport({ baseUrl: url, token: await token() })),
    output,
    stop: async (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
};

/** Starts it where it must refuse: returns its exit code and output. Stops one that starts nevertheless. */
export const refusedProgram = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  around: StartOptions = {},
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const { child, output, exited } = launch(dataDir, env, [], around);
  child.stdout.on("data", () => child.kill("SIGTERM"));
  await exited;
  return { code: child.exitCode, output: output() };
};

/**
 * Starts it and stops it as soon as its output contains those words, before it listens: returns its exit code and
 * output.
 */
export const stoppedAtOutput = async (
  text: string,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const { child, output, exited } = launch(dataDir, env, [], {});
  child.stderr.on("data", () => output().includes(text) && child.kill("SIGTERM"));
  await exited;
  return { code: child.exitCode, output: output() };
};
