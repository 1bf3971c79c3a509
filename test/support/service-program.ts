import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The program as it is installed: `node dist/boardroom.js`. */
export const program = fileURLToPath(new URL("../../dist/boardroom.js", import.meta.url));

/** `boardroom serve` as a process of its own. */
export interface ServiceProgram {
  readonly child: ChildProcess;
  readonly url: string;
  readonly dataDir: string;
  token(): Promise<string>;
  /** What it has said on standard output and standard error. */
  said(): string;
  /** SIGTERM, then its exit code. */
  stop(): Promise<number | null>;
}

export const serveProgram = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<ServiceProgram> => {
  const child = spawn(process.execPath, [program, "serve", ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", SERVICE_DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (said += chunk));
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on("data", () => {
      const match = /boardroom listening on (\S+)/.exec(said);
      if (match) resolve(match[1]!);
    });
    void exited.then(() => reject(new Error(`the service did not start:\n${said}`)));
  });
  return {
    child,
    url,
    dataDir,
    token: async () => (await readFile(join(dataDir, "board-token"), "utf8")).trim(),
    said: () => said,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
};
