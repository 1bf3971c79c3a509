import { posix } from "node:path";
import type { EngineVolume } from "../../ports/workspaces.ts";
import { filesFolder, workFolder } from "../runner-helper/engine-workspaces.ts";
import type { DockerTemplate } from "./template.ts";

const startFolder = "/boardroom/start";

export interface ContainerPlan {
  readonly labels: Readonly<Record<string, string>>;
  /** Holds the helper and its specification; goes with the container. */
  readonly startVolume: string;
  /** null: for a program of no agent, whose folders go with it. */
  readonly agentVolume: string | null;
  /** Of the workspace. */
  readonly volumes: readonly EngineVolume[];
}

const memoryFolder = "rw,exec,nosuid,nodev,mode=1777";

/** The container of one program. Its specification is put into its volume before it starts. */
export const containerOf = (template: DockerTemplate, plan: ContainerPlan) => ({
  Image: template.image,
  Entrypoint: ["node"],
  Cmd: [`${startFolder}/helper.mjs`, `${startFolder}/input/spec`],
  // Stays open when a connection to it ends.
  OpenStdin: true,
  StdinOnce: false,
  User: `${template.runAsUser}:${template.runAsUser}`,
  WorkingDir: "/",
  Labels: plan.labels,
  Healthcheck: { Test: ["NONE"] },
  HostConfig: {
    ReadonlyRootfs: true,
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    RestartPolicy: { Name: "no" },
    NetworkMode: template.network,
    PidsLimit: template.pids,
    ...(template.cpus === null ? {} : { NanoCpus: Math.round(template.cpus * 1e9) }),
    // Swap counts as memory: none beyond it.
    ...(template.memoryBytes === null
      ? {}
      : { Memory: template.memoryBytes, MemorySwap: template.memoryBytes }),
    ...(template.runtime === null ? {} : { Runtime: template.runtime }),
    // Whatever the engine's usual one is: the log must be readable, and must not fill the disk.
    LogConfig: { Type: "json-file", Config: { "max-size": "128m", "max-file": "2" } },
    Tmpfs: {
      "/tmp": memoryFolder,
      [filesFolder]: memoryFolder,
      ...(plan.agentVolume === null ? { [workFolder]: memoryFolder } : {}),
    },
    Mounts: [
      volume(plan.startVolume, startFolder),
      ...(plan.agentVolume === null ? [] : [volume(plan.agentVolume, workFolder)]),
      ...plan.volumes.map(({ name, path }) => volume(name, path)),
    ],
  },
});

const volume = (name: string, target: string) => ({
  Type: "volume",
  Source: name,
  Target: target,
  VolumeOptions: { NoCopy: true },
});

/** Files for the volume of a container that has not started. Its program deletes `input/spec` once it has read it. */
export const startFiles = (helper: string, spec: string, uid: number) => ({
  path: startFolder,
  entries: [
    { path: "helper.mjs", text: helper, mode: 0o444, uid: 0 },
    { path: "input", mode: 0o700, uid },
    { path: "input/spec", text: spec, mode: 0o400, uid },
  ],
});

/** Of a workspace's volume. */
export const volumeFolders = ({ path, folders }: EngineVolume, uid: number) => ({
  path,
  entries: folders.map((folder) => ({ path: folder, mode: 0o700, uid })),
});

/** The folders at the top of an agent's volume, for its user alone. */
export const workFolders = (paths: readonly (string | undefined)[], uid: number) => ({
  path: workFolder,
  entries: [...new Set(paths.flatMap((path) => topFolder(path ?? "")))].map((path) => ({
    path,
    mode: 0o700,
    uid,
  })),
});

const topFolder = (path: string): readonly string[] => {
  const [top = ""] = posix.relative(workFolder, path).split("/");
  return top === "" || top === ".." || !/^[\x20-\x7e]{1,99}$/.test(top) ? [] : [top];
};

/** A container as the engine tells of it: the fields that a runner reads. */
export interface Container {
  readonly Id: string;
  readonly Name: string;
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null };
  readonly State: {
    readonly Status: string;
    readonly Running: boolean;
    readonly Paused?: boolean;
    readonly OOMKilled?: boolean;
    readonly ExitCode?: number;
    readonly StartedAt?: string;
    /** The year 1 until it has run. */
    readonly FinishedAt?: string;
    readonly Error?: string;
  };
}

/** States of a listed container in which its programs live, or are paused. */
export const living = ["running", "paused", "restarting", "stopping"];

/** The exit code after SIGKILL. */
export const killed = 137;

/**
 * Whether it has run, and none of its processes lives. podman initializes an ended container again when its input is attached a
 * moment too late; only the time of its end then shows that it has run.
 */
export const hasEnded = ({ State: { Status, Running, FinishedAt } }: Container): boolean =>
  !Running && (!["created", "configured", "initialized"].includes(Status) || hasTime(FinishedAt));

const hasTime = (at: string | undefined): boolean => at !== undefined && Date.parse(at) > 0;

/** Why a container ended without the word of its helper; a sentence. */
export const endedBecause = ({ State: { ExitCode, Error: error = "" } }: Container): string => {
  if (ExitCode === killed)
    return "Its container was killed from outside, by somebody or by a restart of the engine.";
  // The helper ends so once it has printed the result.
  if (ExitCode === 0)
    return "Its container ended while the engine's service was away, which has lost its last output.";
  return `Its container ended without a result (exit code ${ExitCode}${error === "" ? "" : `, ${error}`}).`;
};
