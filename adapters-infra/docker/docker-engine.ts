import type { Answer, EngineHttp } from "../runner-helper/engine-http.ts";
import type { OpenLog } from "../runner-helper/follow-log.ts";
import type { OpenPipe } from "../runner-helper/input-channel.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import type { Container, containerOf } from "./container.ts";
import { withoutHeaders } from "./log-stream.ts";
import { type TarEntry, tarOf } from "./tar.ts";

/** The engine's objects that a runner makes, reads and removes. All throw where it does not answer, or refuses. */
export interface DockerEngine {
  readonly server: string;
  info(): Promise<{ readonly ID: string; readonly Name: string }>;
  /** Whether the network of that name is a bridge of the engine's machine. */
  isBridge(network: string): Promise<boolean>;
  /** null if none exists. */
  volume(name: string): Promise<ListedVolume | null>;
  /** One that exists is used. */
  ensureVolume(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  /** Final refusals are answers. */
  createContainer(name: string, container: ReturnType<typeof containerOf>): Promise<Answer>;
  /** null if none exists. */
  container(name: string): Promise<Container | null>;
  /** Those with all of the labels, whether they run or not. */
  containers(labels: readonly string[]): Promise<readonly ListedContainer[]>;
  /** Those that the volume is mounted in, whether they run or not. */
  containersWith(volume: string): Promise<readonly ListedContainer[]>;
  volumes(labels: readonly string[]): Promise<readonly ListedVolume[]>;
  put(id: string, files: { readonly path: string; readonly entries: readonly TarEntry[] }): Promise<void>;
  start(id: string): Promise<void>;
  /** A container that does not run is left as it is. */
  signal(id: string, signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  unpause(id: string): Promise<void>;
  /** Kills what is left in it. Returns whether it is gone. */
  removeContainer(id: string): Promise<boolean>;
  /** Returns whether it is gone: one in use stays. */
  removeVolume(name: string): Promise<boolean>;
  log(id: string): OpenLog;
  input(id: string): OpenPipe;
  /**
   * Whether SIGKILL for process 1 of a container can only have come from the kernel, where the engine itself does not
   * say so: podman does not know of its memory limit, but of every request to kill or stop. Docker knows of both.
   */
  wasKilledByKernel(container: Container): Promise<boolean>;
}

export interface ListedContainer {
  readonly Id: string;
  readonly Names: readonly string[];
  /** Seconds since 1970. */
  readonly Created: number;
  readonly State: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

export interface ListedVolume {
  readonly Name: string;
  readonly CreatedAt?: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

const requestsToEnd = ["kill", "stop", "restart", "remove"];
const eventsMs = 15_000;

/** Podman lists what has one of several labels. */
const hasAll =
  (labels: readonly string[]) =>
  ({ Labels }: Pick<ListedContainer, "Labels">): boolean =>
    labels.every((each) => {
      const [name = "", value] = each.split("=");
      const found = Labels?.[name];
      return found !== undefined && (value === undefined || found === value);
    });

/** A proxy in between answers so while the engine is away. Other refusals of an engine are final. */
const isPassing = (status: number) => status === 502 || status === 503 || status === 504;

/** The engine stamps lines by the clock that the helper reads too, which is corrected now and then. */
const overlapMs = 200;

type Ask = (...request: Parameters<EngineHttp["call"]>) => Promise<Answer>;

const withFilter = (filter: Readonly<Record<string, readonly string[]>>) =>
  `filters=${encodeURIComponent(JSON.stringify(filter))}`;

/** Paths without a version: each engine answers them in its latest. */
export const dockerEngine = (http: EngineHttp): DockerEngine => {
  const ask: Ask = async (...request) => {
    const answer = await http.call(...request);
    if (answer.status < 400) return answer;
    throw new RefusedByEngine(answer.message, isPassing(answer.status));
  };
  /** null: none exists. */
  const find = async (path: string): Promise<unknown> => {
    const answer = await http.call("GET", path);
    if (answer.status === 404) return null;
    if (answer.status >= 400) throw new RefusedByEngine(answer.message, isPassing(answer.status));
    return answer.body;
  };
  const remove = async (path: string): Promise<boolean> => {
    const { status } = await http.call("DELETE", path);
    return status < 400 || status === 404;
  };
  const containersBy = async (filter: Readonly<Record<string, readonly string[]>>) =>
    (await ask("GET", `/containers/json?all=1&${withFilter(filter)}`))
      .body as unknown as readonly ListedContainer[];
  return {
    server: http.server,
    info: async () =>
      (await ask("GET", "/info")).body as unknown as Awaited<ReturnType<DockerEngine["info"]>>,
    isBridge: async (network) => (await ask("GET", `/networks/${network}`)).body.Driver === "bridge",
    volume: async (name) => (await find(`/volumes/${name}`)) as ListedVolume | null,
    ensureVolume: async (name, labels) => {
      await ask("POST", "/volumes/create", { Name: name, Labels: labels });
    },
    createContainer: async (name, container) => {
      const answer = await http.call("POST", `/containers/create?name=${name}`, container);
      if (isPassing(answer.status)) throw new RefusedByEngine(answer.message, true);
      return answer;
    },
    container: async (name) => (await find(`/containers/${name}/json`)) as Container | null,
    containers: async (label) => (await containersBy({ label })).filter(hasAll(label)),
    containersWith: (volume) => containersBy({ volume: [volume] }),
    volumes: async (label) => {
      const { Volumes } = (await ask("GET", `/volumes?${withFilter({ label })}`)).body;
      return ((Volumes ?? []) as readonly ListedVolume[]).filter(hasAll(label));
    },
    put: async (id, { path, entries }) => {
      if (entries.length > 0)
        await ask("PUT", `/containers/${id}/archive?path=${encodeURIComponent(path)}`, tarOf(entries));
    },
    start: async (id) => {
      await ask("POST", `/containers/${id}/start`);
    },
    signal: async (id, signal) => {
      await http.call("POST", `/containers/${id}/kill?signal=${signal}`);
    },
    unpause: async (id) => {
      await http.call("POST", `/containers/${id}/unpause`);
    },
    removeContainer: (id) => remove(`/containers/${id}?force=1&v=1`),
    removeVolume: (name) => remove(`/volumes/${name}`),
    log: (id) => async (fromMs, follow, signal) => {
      const since = fromMs === null ? "" : `&since=${((fromMs - overlapMs) / 1000).toFixed(3)}`;
      const path = `/containers/${id}/logs?stdout=1&follow=${follow ? 1 : 0}${since}`;
      return withoutHeaders(await http.follow(path, signal));
    },
    input: (id) => inputOf(http, id),
    wasKilledByKernel: async (container) => (await isPodman(ask)) && !(await wasAskedToEnd(http, container)),
  };
};

const inputOf =
  (http: EngineHttp, id: string): OpenPipe =>
  async (signal) => {
    const path = `/containers/${id}/attach?stream=1&stdin=1`;
    const socket = await http.upgrade("POST", path, { upgrade: "tcp" }, signal);
    if ("status" in socket)
      throw new RefusedByEngine(
        `The engine does not connect to the input of its container: ${socket.message}`,
        isPassing(socket.status),
      );
    socket.resume();
    return {
      write: (text) => void socket.write(text),
      onClose: (listener) => void socket.on("close", listener),
      destroy: () => void socket.destroy(),
    };
  };

const isPodman = async (ask: Ask): Promise<boolean> => {
  const { Components } = (await ask("GET", "/version")).body as {
    readonly Components?: readonly { readonly Name?: string }[];
  };
  return Components?.some(({ Name }) => Name === "Podman Engine") === true;
};

/** Whether a client has asked the engine to end the container since its start; true where that is not known. */
const wasAskedToEnd = async (http: EngineHttp, { Id, State: { StartedAt } }: Container): Promise<boolean> => {
  if (StartedAt === undefined) return true;
  const filter = withFilter({ container: [Id], event: requestsToEnd });
  const path = `/events?stream=false&since=${encodeURIComponent(StartedAt)}&${filter}`;
  for await (const piece of await http.follow(path, AbortSignal.timeout(eventsMs)))
    if (String(piece).trim() !== "") return true;
  return false;
};
