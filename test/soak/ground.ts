import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { markIn } from "../../adapters-infra/local/process-table.ts";
import { superuser } from "../../adapters-infra/postgres/server-cluster.ts";
import { freePort } from "../support/free-port.ts";
import { treeOf } from "../support/processes.ts";
import { isLiving } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const diskMb = 3000;

/** The service under load with its data directory. It keeps its port when it is started anew. */
export class Ground {
  readonly dataDir: string;
  readonly url: string;
  /** Whether the data directory is a disk of its own, which can be filled. */
  readonly ownDisk: boolean;
  /** Variables for the next start, such as those of another clock. */
  env: Readonly<Record<string, string>> = {};
  starts = 0;
  readonly #port: number;
  #service: ServiceProgram | null = null;

  private constructor(dataDir: string, port: number, ownDisk: boolean) {
    this.dataDir = dataDir;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.ownDisk = ownDisk;
  }

  static async make(): Promise<Ground> {
    const dataDir = await mkdtemp(join(tmpdir(), "boardroom-soak-"));
    const ownDisk = process.getuid?.() === 0 && mounted(dataDir);
    return new Ground(dataDir, await freePort(), ownDisk);
  }

  get service(): ServiceProgram {
    if (this.#service === null) throw new Error("the service has not been started");
    return this.#service;
  }

  async start(): Promise<void> {
    const env = {
      PORT: String(this.#port),
      SERVICE_LOG_LEVEL: "error",
      SERVICE_MAX_RUNS: "20",
      SERVICE_DATABASE_DURABLE: "true",
      ...this.env,
    };
    this.#service = await serveProgram(this.dataDir, env);
    this.starts += 1;
  }

  /** Starts it until it stays: a killed engine or a full disk may end a first attempt. */
  async restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#service?.stop(signal);
    for (let attempt = 1; ; attempt++)
      try {
        return await this.start();
      } catch (error) {
        if (attempt === 5) throw error;
      }
  }

  postmaster(): number {
    return Number(this.#postmasterFile()[0]);
  }

  async database(): Promise<postgres.Sql> {
    const password = (await readFile(join(this.dataDir, "database", "password"), "utf8")).trim();
    const url = `postgres://${superuser}:${password}@127.0.0.1:${this.#postmasterFile()[3]}/postgres`;
    return postgres(url, { max: 2, onnotice: () => {} });
  }

  /** The service's own processes whose command line says that they start programs. */
  spawners(): readonly number[] {
    return treeOf(this.service.child.pid!).filter((pid) => /spawner|supervisor/.test(commandOf(pid)));
  }

  /** Stops the service; resolves with the command lines of processes that are left of it, with its runs and database. */
  async stopped(): Promise<readonly string[]> {
    await this.#service?.stop();
    this.#service = null;
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isLiving(pid))
      .map((pid) => `${pid} ${commandOf(pid).replaceAll("\0", " ")}`)
      .filter((line) => line.includes(this.dataDir));
  }

  async close(): Promise<void> {
    await this.#service?.stop();
    if (this.ownDisk) execFileSync("umount", ["-l", this.dataDir]);
    await rm(this.dataDir, { recursive: true, force: true });
  }

  #postmasterFile(): readonly string[] {
    return readFileSync(join(this.dataDir, "database", "cluster", "postmaster.pid"), "utf8").split("\n");
  }
}

const mounted = (folder: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m,mode=0755`, "boardroom-soak", folder]);
    return true;
  } catch {
    return false;
  }
};

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").slice(0, 400);
  } catch {
    return "";
  }
};

/** The living processes of this machine that carry a run id. */
export const carriers = (): readonly { readonly pid: number; readonly runId: string }[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isLiving(pid))
    .flatMap((pid) => {
      try {
        const runId = markIn(readFileSync(`/proc/${pid}/environ`))?.runId ?? null;
        return runId === null ? [] : [{ pid, runId }];
      } catch {
        return []; // It has ended.
      }
    });
