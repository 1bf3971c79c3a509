import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerRunner } from "../../adapters-infra/docker/container-runner.ts";
import { dockerEngine } from "../../adapters-infra/docker/docker-engine.ts";
import type { DockerTemplate } from "../../adapters-infra/docker/template.ts";
import { engineHttp } from "../../adapters-infra/runner-helper/engine-http.ts";
import type { HandoverFiles } from "../../adapters-infra/runner-helper/handover-files.ts";
import { runLabel } from "../../adapters-infra/runner-helper/labels.ts";
import { agentImage, programOf, where } from "../support/agent-image.ts";
import { installation } from "../support/installation.ts";

export const image = "localhost/agent:latest";

/** Engines of Debian's packages podman and docker.io, started on a socket of their own. */
export const engineKinds = ["dockerd", "podman"] as const;
export type EngineKind = (typeof engineKinds)[number];

export const isInstalled = (kind: EngineKind): boolean => where(kind) !== null;

/** An engine with its own socket, storage and image, so that it is nobody else's. */
export interface TestEngine {
  readonly kind: EngineKind;
  readonly socket: string;
  readonly folder: string;
  start(): Promise<void>;
  /** Sends the signal to the engine's service and waits for its end. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Ends it, its containers and mounts, and removes its folder. */
  close(): Promise<void>;
}

interface EngineOptions {
  /** Containers stay while dockerd is away. */
  readonly liveRestore?: boolean;
  /** A network namespace in which it may make bridges and rules; else it has the machine's network, and leaves it alone. */
  readonly network?: string;
  /** Of this machine, to be in the image, too. */
  readonly programs?: readonly string[];
}

export const startEngine = async (kind: EngineKind, options: EngineOptions = {}): Promise<TestEngine> => {
  const folder = mkdtempSync(join(tmpdir(), `br-${kind}-`));
  const socket = join(folder, "engine.sock");
  let service: ChildProcess | null = null;
  const engine: TestEngine = {
    kind,
    socket,
    folder,
    start: async () => {
      const log = openSync(join(folder, "log"), "a");
      const { command, args, env } = commandOf(kind, folder, options);
      for (let tries = 0; tries < 3 && service === null; tries += 1) {
        rmSync(join(folder, "dockerd.pid"), { force: true });
        const [program = command, ...rest] = through(options.network, command, args);
        // In its folder: podman's conmon leaves a file where a container runs out of memory.
        const around = { cwd: folder, env: { ...process.env, ...env } };
        const begun = spawn(program, rest, { ...around, stdio: ["ignore", log, log] });
        service = begun;
        // On a slow machine dockerd does not wait long enough for its own containerd, and ends.
        while (begun.exitCode === null && !(await answers(socket))) await pauseMs(200);
        if (begun.exitCode !== null) service = null;
      }
      closeSync(log);
      if (service === null)
        throw new Error(`${kind} does not start: ${readFileSync(join(folder, "log"), "utf8").slice(-2_000)}`);
    },
    end: async (signal) => {
      const ending = service;
      service = null;
      if (ending === null || ending.exitCode !== null) return;
      const ended = new Promise((resolve) => ending.once("exit", resolve));
      ending.kill(signal);
      await ended;
    },
    close: async () => {
      process.off("exit", killService);
      const docker = dockerOf(socket);
      for (const { Id } of await docker.containers([runLabel]).catch(() => []))
        await docker.removeContainer(Id).catch(() => false);
      await engine.end("SIGTERM");
      await endContainerd(join(folder, "exec/containerd/containerd.pid"));
      for (const mount of mountsBelow(folder)) execFileSync("umount", ["--lazy", mount]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
  const killService = () => void service?.kill("SIGKILL");
  process.on("exit", killService);
  try {
    await engine.start();
    const more = Object.fromEntries((options.programs ?? []).map((name) => [name, programOf(name)]));
    loadImage(socket, await agentImage(folder, image, more));
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
};

const answers = (socket: string): Promise<boolean> =>
  dockerOf(socket)
    .info()
    .then(
      () => true,
      () => false,
    );

const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The containerd of a dockerd that was killed outlives it. */
const endContainerd = async (pidFile: string): Promise<void> => {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  try {
    for (process.kill(pid, "SIGTERM"); ; process.kill(pid, 0)) await pauseMs(100);
  } catch {
    // It has ended.
  }
};

export const dockerOf = (socket: string) =>
  dockerEngine(
    engineHttp({
      server: `unix://${socket}`,
      ca: undefined,
      cert: undefined,
      key: undefined,
      token: () => null,
    }),
  );

export const template: DockerTemplate = {
  name: "engine",
  image,
  runAsUser: 1000,
  network: "host",
  memoryBytes: null,
  cpus: null,
  pids: 512,
  runtime: null,
};

export const runnerOn = (
  { socket }: Pick<TestEngine, "socket">,
  more: Partial<DockerTemplate> = {},
  fenceSec = 20,
  handover: HandoverFiles | null = null,
  of = installation,
) =>
  containerRunner({
    engine: dockerOf(socket),
    template: { ...template, ...more },
    scope: "docker/test",
    helper: readFileSync(new URL("../../dist/runner-helper.js", import.meta.url), "utf8"),
    handover,
    service: { installation: of, fenceSec, skills: "/none" },
  });

/** A request that the runner itself does not make. */
export const ask = (socket: string, method: string, path: string, body?: object): string =>
  execFileSync("curl", [
    ...["-s", "-X", method, "--unix-socket", socket, `http://engine${path}`],
    ...(body === undefined ? [] : ["-H", "content-type: application/json", "-d", JSON.stringify(body)]),
  ]).toString();

const withoutBridge = [
  ...["--bridge", "none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"],
];

/** A command in a network namespace. */
export const through = (
  network: string | undefined,
  command: string,
  args: readonly string[],
): readonly string[] =>
  network === undefined ? [command, ...args] : ["nsenter", `--net=/run/netns/${network}`, command, ...args];

const commandOf = (kind: EngineKind, folder: string, { liveRestore = false, network }: EngineOptions) => {
  const socket = `unix://${join(folder, "engine.sock")}`;
  if (kind === "dockerd") {
    writeFileSync(join(folder, "daemon.json"), "{}");
    return {
      command: where("dockerd") ?? "dockerd",
      // Without a bridge it changes nothing of the machine's network.
      args: [
        ...["--host", socket, "--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")],
        ...["--pidfile", join(folder, "dockerd.pid"), "--config-file", join(folder, "daemon.json")],
        ...(network === undefined ? withoutBridge : []),
        ...[`--live-restore=${liveRestore}`, "--shutdown-timeout", "10"],
      ],
      env: {},
    };
  }
  // runc and few open files: what runs inside another container, too.
  writeFileSync(
    join(folder, "containers.conf"),
    `[containers]\ndefault_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n[network]\nnetwork_config_dir = "${join(folder, "networks")}"\n`,
  );
  return {
    command: "podman",
    args: [
      ...["--root", join(folder, "data"), "--runroot", join(folder, "run"), "--storage-driver", "overlay"],
      ...["--tmpdir", join(folder, "tmp"), "system", "service", "--time=0", socket],
    ],
    env: { CONTAINERS_CONF: join(folder, "containers.conf") },
  };
};

/** Loads an image from an archive, and removes the archive. */
export const loadImage = (socket: string, file: string): void => {
  execFileSync("curl", [
    ...["-s", "--fail", "--unix-socket", socket, "-X", "POST", "-H", "content-type: application/x-tar"],
    ...["-H", "expect:", "-T", file, "http://engine/images/load"],
  ]);
  rmSync(file);
};

const mountsBelow = (folder: string): readonly string[] =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .flatMap((line) => line.split(" ")[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`))
    .reverse();
