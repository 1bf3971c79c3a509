import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Client } from "../../hosts/library/client.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { freePort } from "../support/free-port.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

/** The user of services that are not root: none of the usual ones, so that nothing else on the machine has it. */
export const ordinaryUser = 58_731;

/** A service of its own, whose agents attack it. */
export interface AttackedService {
  /** Below it lies everything of this service. */
  readonly folder: string;
  readonly dataDir: string;
  readonly service: ServiceProgram;
  readonly board: Client;
  /** Creates an agent of the `process` adapter and wakes it. */
  invoke(
    companyId: string,
    adapterConfig: object,
  ): Promise<{ readonly agentId: string; readonly runId: string }>;
  printed(runId: string): Promise<string>;
  /** Waits until the run has ended. */
  ended(runId: string): ReturnType<Client["runs"]["get"]>;
  /**
   * Runs the body of an asynchronous function as a program of an agent, and returns what it returns. It has `fs`,
   * `execFileSync`, `spawn`, `tried` (the value, or the error's code) and `call` (the service's API).
   */
  attempt(companyId: string, body: string, config?: object): Promise<unknown>;
  /** Stops it and starts it again on the same data. */
  restart(env?: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** The configuration of a program that does what `attempt` says. */
export const attemptedBy = (body: string) =>
  nodeAgent(`
    import { execFileSync, spawn } from "node:child_process";
    import fs from "node:fs";
    const tried = (work) => { try { return work(); } catch (error) { return error.code ?? String(error.stderr ?? error.message).trim(); } };
    const seen = await (async () => { ${body} })();
    console.log(JSON.stringify(seen ?? null));
    process.exit(0);
  `);

/** Starts a service on this machine with its sandbox, as root or as an ordinary user; its agents run where `runner` says. */
export const attackedService = async (
  environment: "root" | "user",
  env: Readonly<Record<string, string>> = {},
  runner: object | null = null,
  /** Put before its command. */
  through: readonly string[] = [],
): Promise<AttackedService> => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const dataDir = join(folder, "data");
  await preparedDataDirectory(dataDir);
  // The home of the service's user, who has signed in a coding CLI.
  mkdirSync(join(folder, ".codex"));
  writeFileSync(join(folder, ".codex/auth.json"), '{"token":"not-for-agents"}');
  const onRunner: Record<string, string> = {};
  if (runner !== null) {
    mkdirSync(join(dataDir, "runners"));
    writeFileSync(join(dataDir, "runners/engine.yaml"), stringify(runner));
    const port = await freePort();
    Object.assign(onRunner, {
      SERVICE_RUNNER: "engine",
      PORT: String(port),
      SERVICE_AGENT_URL: `http://127.0.0.1:${port}`,
    });
  }
  const isRoot = environment === "root";
  if (!isRoot) execFileSync("chown", ["-R", `${ordinaryUser}:${ordinaryUser}`, folder]);
  const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"];
  // As a process that started it carelessly may do: what it has open is none of the agents' business.
  const careless = ["bash", "-c", 'exec 99</etc/hostname; exec "$@"', "bash"];
  const around = { through: [...careless, ...through, ...(isRoot ? [] : ["setpriv", ...user])], cwd: folder };
  const start = (more: Readonly<Record<string, string>> = {}) =>
    serveProgram(dataDir, { SERVICE_SANDBOX: "", HOME: folder, ...onRunner, ...env, ...more }, [], around);

  let service = await start();
  let board = await service.board();
  const invoke: AttackedService["invoke"] = async (companyId, adapterConfig) => {
    const agent = await board.agents.create({
      companyId,
      name: `Agent ${Math.random()}`,
      adapterType: "process",
      adapterConfig: adapterConfig as Record<string, never>,
    });
    const { id } = await board.agents.invoke({ agentId: agent.id });
    return { agentId: agent.id, runId: id! };
  };
  const printed: AttackedService["printed"] = async (runId) =>
    (await board.runs.log({ runId })).content
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
      .join("");
  const ended: AttackedService["ended"] = (runId) =>
    eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status !== "queued" && status !== "running",
    );
  return {
    folder,
    dataDir,
    get service() {
      return service;
    },
    get board() {
      return board;
    },
    invoke,
    printed,
    ended,
    attempt: async (companyId, body, config = {}) => {
      const { runId } = await invoke(companyId, {
        ...attemptedBy(body),
        // That of the image.
        ...(runner === null ? {} : { command: "node" }),
        ...config,
      });
      const { status, error } = await ended(runId);
      const text = await printed(runId);
      if (status !== "succeeded") throw new Error(`${status}: ${error}\n${text}`);
      return JSON.parse(text.trim().split("\n").at(-1)!);
    },
    restart: async (more) => {
      await service.stop();
      service = await start(more);
      board = await service.board();
    },
    close: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
