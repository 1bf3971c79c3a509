import { createHash, randomUUID } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { EngineAccess } from "../../../adapters-infra/runner-helper/engine-http.ts";
import { unframed } from "./loopback-input.ts";
import { LoopbackPod, type PodObject } from "./loopback-pod.ts";
import { complaintsAbout, complaintsAboutObject } from "./published-interface.ts";

const token = "loopback-token";

/** A fault of the next requests that match: an answer, a connection that breaks before or after the work is done. */
export type Fault =
  | { readonly status: number; readonly reason: string; readonly message: string }
  | "breaks"
  | "answer is lost";

interface Expected {
  readonly method: string;
  readonly path: RegExp;
  times: number;
  readonly fault: Fault;
}

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly uid?: string;
    /** It is deleted once no pod uses it. */
    deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * The API server of a cluster of one namespace, over loopback. It answers the requests of the published interface that
 * a runner of pods makes, and notes every other one, or field, as a complaint.
 */
export class LoopbackApi {
  readonly complaints: string[] = [];
  readonly pods = new Map<string, LoopbackPod>();
  readonly secrets = new Map<string, Stored>();
  readonly configMaps = new Map<string, Stored>();
  readonly claims = new Map<string, Stored>();
  /** Gets each created pod. */
  onPod: (pod: LoopbackPod) => void = (pod) => pod.run();
  /** Every connection breaks. */
  isAway = false;
  /** The requests of meanwhile. */
  readonly unanswered: string[] = [];
  /** How far the clocks of the nodes differ from this machine's. */
  nodeSkewMs = 0;
  /** How far the API server's own clock does. */
  skewMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #logs = new Set<ServerResponse>();
  readonly #inputs = new Set<Duplex>();
  readonly #expected: Expected[] = [];
  #folder = "";

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("upgrade", (request, socket) => this.#attach(request, socket));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  async open(): Promise<EngineAccess> {
    this.#folder = await mkdtemp(join(tmpdir(), "loopback-kubernetes-"));
    // Pods may have a user of their own.
    chmodSync(this.#folder, 0o711);
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    return {
      server: `http://127.0.0.1:${port}`,
      ca: undefined,
      cert: undefined,
      key: undefined,
      token: () => token,
    };
  }

  async close(): Promise<void> {
    for (const pod of this.pods.values()) pod.remove();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  fail(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#expected.push({ method, path, times, fault });
  }

  /** Breaks the connections over which logs are followed, wherever a line is. */
  cutLogs(): void {
    for (const response of this.#logs) response.destroy();
  }

  /** Breaks the connections to the inputs of pods, and loses what they carry. */
  cutInputs(): void {
    for (const socket of this.#inputs) socket.destroy();
  }

  goAway(): void {
    this.isAway = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) {
      this.unanswered.push(`${request.method} ${request.url}`);
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? "/", "http://loopback");
    const method = request.method ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    this.complaints.push(...complaintsAbout(method, url, body));
    response.setHeader("date", new Date(Date.now() + this.skewMs).toUTCString());
    if (request.headers.authorization !== `Bearer ${token}`) {
      refuse(response, 401, "Unauthorized", "Unauthorized");
      return;
    }
    const expected = this.#expected.find(
      (each) => each.times > 0 && each.method === method && each.path.test(url.pathname),
    );
    if (expected !== undefined) {
      expected.times -= 1;
      const { fault } = expected;
      if (fault === "breaks") request.socket.destroy();
      else if (fault === "answer is lost") {
        response.end = (() => request.socket.destroy()) as unknown as typeof response.end;
        this.#answer(method, url, body, response);
      } else refuse(response, fault.status, fault.reason, fault.message);
    } else this.#answer(method, url, body, response);
  }

  #attach(request: IncomingMessage, socket: Duplex): void {
    socket.on("error", () => {});
    const url = new URL(request.url ?? "/", "http://loopback");
    this.complaints.push(...complaintsAbout("GET", url, undefined));
    const expected = this.#expected.find(
      ({ times, method, path }) => times > 0 && method === "GET" && path.test(url.pathname),
    );
    const pod = this.pods.get(/\/pods\/([^/]+)\/attach$/.exec(url.pathname)?.[1] ?? "");
    const { authorization, upgrade, "sec-websocket-protocol": protocol } = request.headers;
    const isFit =
      authorization === `Bearer ${token}` &&
      upgrade === "websocket" &&
      protocol === "v4.channel.k8s.io" &&
      request.headers.accept === "*/*";
    if (pod === undefined || !isFit || expected !== undefined) {
      if (expected !== undefined) expected.times -= 1;
      const fault = typeof expected?.fault === "object" ? expected.fault : null;
      const body = JSON.stringify({ kind: "Status", message: fault?.message ?? "not found" });
      socket.end(
        `HTTP/1.1 ${fault?.status ?? 404} Refused\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
    );
    this.#inputs.add(socket);
    socket.on("close", () => this.#inputs.delete(socket));
    const read = unframed((stream, piece) => {
      if (stream === 0) pod.input(piece);
      else this.complaints.push(`an input names the stream ${stream}`);
    });
    socket.on("data", read);
  }

  #answer(method: string, url: URL, body: unknown, response: ServerResponse): ServerResponse {
    const [, kind = "", name = "", sub] =
      /^\/api\/v1\/namespaces\/[^/]+\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    if (kind === "persistentvolumeclaims" && method !== "POST")
      return this.#answerClaim(method, name, url.searchParams, response);
    if (kind !== "pods") return this.#create(kind, body as Stored, response);
    if (method === "POST") return this.#createPod(body as PodObject, response);
    if (name === "") return this.#list(url.searchParams, response);
    const pod = this.pods.get(name);
    if (pod === undefined) return refuse(response, 404, "NotFound", `pods "${name}" not found`);
    if (sub === "log") return this.#log(pod, url.searchParams, response);
    if (method === "GET") return this.#show(pod, 200, response);
    const { gracePeriodSeconds = 30, preconditions } = (body ?? {}) as {
      gracePeriodSeconds?: number;
      preconditions?: { uid?: string };
    };
    if (preconditions?.uid !== undefined && preconditions.uid !== pod.object.metadata.uid)
      return refuse(
        response,
        409,
        "Conflict",
        "the UID in the precondition does not match the UID in record",
      );
    pod.delete(gracePeriodSeconds);
    return this.#show(pod, 200, response);
  }

  #answerClaim(method: string, name: string, query: URLSearchParams, response: ServerResponse) {
    if (name === "") {
      const items = [...this.claims.values()].filter(({ metadata }) => selects(query, metadata.labels));
      return answer(response, 200, {
        kind: "PersistentVolumeClaimList",
        apiVersion: "v1",
        metadata: {},
        items,
      });
    }
    const found = this.claims.get(name);
    if (found === undefined)
      return refuse(response, 404, "NotFound", `persistentvolumeclaims "${name}" not found`);
    if (method === "DELETE") {
      found.metadata.deletionTimestamp = new Date().toISOString();
      this.#deleteClaims();
    }
    return answer(response, 200, found);
  }

  #deleteClaims(): void {
    for (const [name, { metadata }] of this.claims)
      if (metadata.deletionTimestamp !== undefined && !this.#isUsed(name)) {
        this.claims.delete(name);
        rmSync(this.#folderOf(name), { recursive: true, force: true });
      }
  }

  #isUsed(claim: string): boolean {
    return [...this.pods.values()].some(
      ({ ended, object }) => !ended && claimsOf(object).some(({ name }) => name === claim),
    );
  }

  /** Open to the group of pods, as `fsGroup` makes it. */
  #folderOf(claim: string): string {
    const folder = join(this.#folder, "claims", claim);
    if (this.claims.has(claim) && !existsSync(folder)) {
      mkdirSync(folder, { recursive: true });
      if (process.getuid?.() === 0) chownSync(folder, 0, 1000);
      chmodSync(folder, 0o2775);
    }
    return folder;
  }

  #create(kind: string, object: Stored, response: ServerResponse): ServerResponse {
    const stores: Readonly<Record<string, Map<string, Stored>>> = {
      secrets: this.secrets,
      configmaps: this.configMaps,
      persistentvolumeclaims: this.claims,
    };
    const store = stores[kind];
    if (store === undefined) return refuse(response, 404, "NotFound", "the server could not find it");
    const { name } = object.metadata;
    if (store.has(name)) return refuse(response, 409, "AlreadyExists", `${kind} "${name}" already exists`);
    const metadata = {
      ...object.metadata,
      uid: randomUUID(),
      creationTimestamp: new Date(Date.now() + this.skewMs).toISOString().replace(/\.\d+/, ""),
    };
    const stored = { ...object, metadata };
    store.set(name, stored);
    return answer(response, 201, stored);
  }

  #createPod(given: PodObject, response: ServerResponse): ServerResponse {
    const { name } = given.metadata;
    if (this.pods.has(name)) return refuse(response, 409, "AlreadyExists", `pods "${name}" already exists`);
    const object: PodObject = {
      ...given,
      metadata: {
        ...given.metadata,
        namespace: "agents",
        uid: randomUUID(),
        creationTimestamp: new Date(Date.now() + this.skewMs).toISOString().replace(/\.\d+/, ""),
      },
      status: { phase: "Pending" },
    };
    const volumes = given.spec.volumes as readonly { readonly configMap?: { readonly name: string } }[];
    const helper = volumes.flatMap(({ configMap }) => configMap?.name ?? [])[0] ?? "";
    const spec = () => this.secrets.get(name)?.data?.spec;
    const pod = new LoopbackPod(object, {
      folder: this.#folder,
      skewMs: this.nodeSkewMs,
      files: {
        helper: () => this.configMaps.get(helper)?.data?.["helper.mjs"],
        spec: () => (spec() === undefined ? undefined : Buffer.from(spec()!, "base64").toString()),
        claims: claimsOf(object).map(({ name: claim, path }) => ({ path, folder: this.#folderOf(claim) })),
      },
      onRemoved: () => {
        this.pods.delete(name);
        this.complaints.push(...pod.complaints);
        // The garbage collector.
        for (const [secret, { metadata }] of this.secrets)
          if (metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid))
            this.secrets.delete(secret);
        this.#deleteClaims();
      },
    });
    this.pods.set(name, pod);
    this.onPod(pod);
    return this.#show(pod, 201, response);
  }

  #list(query: URLSearchParams, response: ServerResponse): ServerResponse {
    const found = [...this.pods.values()].filter(({ object: { metadata } }) =>
      selects(query, metadata.labels),
    );
    for (const pod of found) pod.shown += 1;
    const items = found.map(({ object }) => object);
    const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items };
    this.complaints.push(...complaintsAboutObject("PodList", list));
    return answer(response, 200, list);
  }

  #show(pod: LoopbackPod, status: number, response: ServerResponse): ServerResponse {
    pod.shown += 1;
    // An answer that no API server gives would prove nothing.
    this.complaints.push(...complaintsAboutObject("Pod", pod.object));
    return answer(response, status, pod.object);
  }

  #log(pod: LoopbackPod, query: URLSearchParams, response: ServerResponse): ServerResponse {
    if (pod.log.length === 0 && !pod.ended && pod.object.status.phase !== "Running")
      return refuse(
        response,
        400,
        "BadRequest",
        `container "agent" in pod "${pod.object.metadata.name}" is waiting to start: ContainerCreating`,
      );
    const since = query.get("sinceTime");
    // The API server counts in whole seconds.
    const from = since === null ? 0 : Math.floor(Date.parse(since) / 1000) * 1000;
    response.writeHead(200, { "content-type": "text/plain" });
    this.#logs.add(response);
    response.on("close", () => this.#logs.delete(response));
    let sent = 0;
    const send = () => {
      for (const { n, at, line } of pod.log)
        if (n > sent && at >= from) {
          sent = n;
          response.write(`${line}\n`);
        }
      if (pod.ended || pod.removed || query.get("follow") !== "true") response.end();
      else if (!response.destroyed) setTimeout(send, 10);
    };
    send();
    return response;
  }
}

/** Whether an object is chosen by the query's selector, of labels with or without a value. */
const selects = (query: URLSearchParams, labels: Readonly<Record<string, string>> = {}): boolean =>
  (query.get("labelSelector") ?? "")
    .split(",")
    .filter((each) => each !== "")
    .every((each) => {
      const [label = "", value] = each.split("=");
      return label in labels && (value === undefined || labels[label] === value);
    });

/** The claims of a pod, and where its container sees them. */
const claimsOf = ({ spec }: PodObject): readonly { readonly name: string; readonly path: string }[] => {
  const { volumes = [], containers = [] } = spec as {
    volumes?: readonly { name: string; persistentVolumeClaim?: { claimName: string } }[];
    containers?: readonly { volumeMounts?: readonly { name: string; mountPath: string }[] }[];
  };
  return volumes.flatMap(({ name, persistentVolumeClaim }) => {
    const path = containers[0]?.volumeMounts?.find((mount) => mount.name === name)?.mountPath;
    return persistentVolumeClaim === undefined || path === undefined
      ? []
      : [{ name: persistentVolumeClaim.claimName, path }];
  });
};

const answer = (response: ServerResponse, status: number, body: object): ServerResponse => {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(JSON.stringify(body));
};

const refuse = (response: ServerResponse, code: number, reason: string, message: string): ServerResponse =>
  answer(response, code, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    code,
  });
