import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeOf } from "../processes.ts";

export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    deletionTimestamp?: string;
    [field: string]: unknown;
  };
  readonly spec: { nodeName?: string; [field: string]: unknown };
  status: PodStatus;
  [field: string]: unknown;
}

interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: readonly object[];
  containerStatuses?: readonly object[];
}

/** Read by the kubelet of a pod: the ConfigMap and the Secret that its volumes name. */
export interface PodFiles {
  readonly helper: () => string | undefined;
  readonly spec: () => string | undefined;
  /** The folders of this machine in the place of its claims, with where its container sees them. */
  readonly claims: readonly { readonly path: string; readonly folder: string }[];
}

/** The container runtime splits longer lines. */
const maxLogLine = 16 * 1024;

/** One pod, its kubelet and its log. The helper is the real one; it runs as a process of this machine. */
export class LoopbackPod {
  readonly object: PodObject;
  /** Lines with their time on the node's clock. */
  readonly log: { readonly n: number; readonly at: number; readonly line: string }[] = [];
  #lines = 0;
  readonly complaints: string[] = [];
  readonly #folder: string;
  readonly #files: PodFiles;
  readonly #onRemoved: () => void;
  readonly #skewMs: number;
  #child: ChildProcess | null = null;
  #kill: NodeJS.Timeout | undefined;
  #wait: NodeJS.Timeout | undefined;
  /** The node's kubelet is away: nobody confirms anything. */
  nodeIsLost = false;
  /** A container has run in it and has ended. */
  ended = false;
  removed = false;
  /** How often the API server has answered with it. */
  shown = 0;

  constructor(
    object: PodObject,
    parts: {
      readonly folder: string;
      readonly files: PodFiles;
      readonly onRemoved: () => void;
      readonly skewMs: number;
    },
  ) {
    this.object = object;
    this.#folder = join(parts.folder, object.metadata.name);
    this.#files = parts.files;
    this.#onRemoved = parts.onRemoved;
    this.#skewMs = parts.skewMs;
  }

  place(node = "node-1"): void {
    this.object.spec.nodeName = node;
    this.object.status.conditions = [{ type: "PodScheduled", status: "True" }];
    this.waits("ContainerCreating");
  }

  cannotBePlaced(message: string): void {
    this.object.status.conditions = [
      { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ];
  }

  waits(reason: string, message?: string): void {
    this.#container({ waiting: { reason, ...(message === undefined ? {} : { message }) } });
  }

  /** Places the pod and runs it as soon as its volumes are there, as a kubelet does. */
  run(): void {
    if (this.object.spec.nodeName === undefined) this.place();
    const helper = this.#files.helper();
    const spec = this.#files.spec();
    if (this.removed || this.object.metadata.deletionTimestamp !== undefined) return;
    if (helper === undefined || spec === undefined) {
      this.#wait = setTimeout(() => this.run(), 10);
      return;
    }
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, "helper.mjs"), helper);
    // In the place of the pod's volumes.
    const { claims } = this.#files;
    const seen = claims
      .reduce((text, { path, folder }) => text.replaceAll(`"${path}`, `"${folder}`), spec)
      .replaceAll('"/boardroom/', `"${this.#folder}/boardroom/`);
    writeFileSync(join(this.#folder, "spec"), seen, { mode: 0o600 });
    // Root may read what is closed.
    const { runAsUser } = this.object.spec.securityContext as { readonly runAsUser: number };
    const user = claims.length > 0 && process.getuid?.() === 0 ? { uid: runAsUser, gid: runAsUser } : {};
    if (user.uid !== undefined)
      for (const path of [this.#folder, join(this.#folder, "spec")]) chownSync(path, runAsUser, runAsUser);
    const skew = `const now = Date.now; Date.now = () => now() + ${this.#skewMs};`;
    const child = spawn(
      process.execPath,
      [
        ...(this.#skewMs === 0 ? [] : ["--import", `data:text/javascript,${encodeURIComponent(skew)}`]),
        join(this.#folder, "helper.mjs"),
        join(this.#folder, "spec"),
      ],
      {
        env: { PATH: process.env.PATH ?? "" },
        detached: true,
        ...user,
        stdio: [this.#hasInput ? "pipe" : "ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    child.stdin?.on("error", () => {});
    let rest = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.say(line);
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => this.say(chunk.trimEnd()));
    child.on("close", (code) => this.#noteEnd(code === 0 ? "Completed" : "Error", code ?? 137));
    this.object.status.phase = "Running";
    this.#container({ running: { startedAt: this.#now() } });
  }

  /** Of somebody who is attached. */
  input(piece: Buffer): void {
    if (this.#child?.stdin?.writable === true) this.#child.stdin.write(piece);
  }

  get #hasInput(): boolean {
    const { containers = [] } = this.object.spec as { containers?: readonly { stdin?: boolean }[] };
    return containers[0]?.stdin === true;
  }

  /** A line of the container, or of the kubelet. */
  say(line: string): void {
    if (Buffer.byteLength(line) >= maxLogLine)
      this.complaints.push(`a line of ${Buffer.byteLength(line)} bytes is split by the container runtime`);
    this.#lines += 1;
    this.log.push({ n: this.#lines, at: Date.now() + this.#skewMs, line });
  }

  evict(message: string): void {
    this.#killAll();
    this.object.status = { phase: "Failed", reason: "Evicted", message };
    this.ended = true;
  }

  /** Process 1 ends without a word. */
  endAs(reason: string, exitCode: number): void {
    this.#child?.removeAllListeners("close");
    this.#killAll();
    this.#noteEnd(reason, exitCode);
  }

  /** The API server's part of a graceful deletion, and the kubelet's. */
  delete(graceSec: number): void {
    if (this.object.metadata.deletionTimestamp === undefined)
      this.object.metadata.deletionTimestamp = new Date(Date.now() + graceSec * 1000).toISOString();
    if (this.nodeIsLost) return;
    if (this.#child === null || this.ended) {
      setTimeout(() => this.remove(), 20);
      return;
    }
    this.#child.kill("SIGTERM");
    this.#kill ??= setTimeout(() => this.#killAll(), graceSec * 1000);
  }

  /** Ends everything, and the object with it: as when somebody forces it, or the node is gone. */
  remove(): void {
    clearTimeout(this.#kill);
    clearTimeout(this.#wait);
    if (this.removed) return;
    this.removed = true;
    if (!this.ended) this.#killAll();
    this.#onRemoved();
  }

  #noteEnd(reason: string, exitCode: number): void {
    clearTimeout(this.#kill);
    this.ended = true;
    if (this.nodeIsLost) return;
    this.object.status.phase = exitCode === 0 ? "Succeeded" : "Failed";
    this.#container({ terminated: { exitCode, reason, finishedAt: this.#now() } });
    if (this.object.metadata.deletionTimestamp !== undefined) setTimeout(() => this.remove(), 20);
  }

  /** Process 1 of a pod takes all others with it. */
  #killAll(): void {
    if (this.#child?.pid === undefined) return;
    for (const pid of treeOf(this.#child.pid).toReversed())
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
  }

  #container(state: object): void {
    const isOver = "terminated" in state;
    this.object.status.containerStatuses = [
      {
        name: "agent",
        image: "agents:1",
        imageID: "",
        ready: "running" in state,
        restartCount: 0,
        ...(isOver ? { containerID: "containerd://1" } : {}),
        state,
      },
    ];
  }

  #now(): string {
    return new Date(Date.now() + this.#skewMs).toISOString();
  }
}
