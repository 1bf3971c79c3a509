import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";

/** How an engine is reached. */
export interface EngineAccess {
  /** As people know it: `https://host:6443`, `unix:///run/docker.sock`. */
  readonly server: string;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** Read for each request, because tokens of service accounts are replaced. */
  readonly token: () => string | null;
}

/** The requests that a runner makes of its engine, over one pool of connections. All throw where it does not answer. */
export interface EngineHttp {
  readonly server: string;
  /** A body of bytes is a tar archive; any other is sent as JSON. */
  call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<Answer>;
  /** Follows a text until the engine ends it or the signal fires. Throws where it breaks, or answers no 200. */
  follow(path: string, signal: AbortSignal): Promise<IncomingMessage>;
  /**
   * Turns a connection over to another protocol, with its headers. Returns the engine's answer where it does not. The signal
   * ends the attempt only.
   */
  upgrade(
    method: "GET" | "POST",
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Socket | Answer>;
}

export interface Answer {
  readonly status: number;
  /** Not an object for lists: cast by those who asked. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The engine's own sentence for a status that is no success. */
  readonly message: string;
  /** When it answered, in milliseconds on the engine's clock. */
  readonly at: number;
}

const answerMs = 15_000;
const maxAnswerBytes = 32 * 1024 * 1024;

export const engineHttp = (access: EngineAccess): EngineHttp => {
  const { server, ca, cert, key } = access;
  const secure = server.startsWith("https:");
  const options = { keepAlive: true, keepAliveMsecs: 10_000 };
  const agent = secure ? new HttpsAgent({ ...options, ca, cert, key }) : new HttpAgent(options);
  const socketPath = server.startsWith("unix://") ? server.slice("unix://".length) : null;
  const base = socketPath === null ? server : "http://localhost";
  const request = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string | number>>,
    signal?: AbortSignal,
  ) => {
    const token = access.token();
    return (secure ? httpsRequest : httpRequest)(`${base}${path}`, {
      method,
      agent,
      ...(signal === undefined ? {} : { signal }),
      ...(socketPath === null ? {} : { socketPath }),
      headers: {
        accept: "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
  };
  const ask = (method: string, path: string, body: object | undefined, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const isTar = body instanceof Uint8Array;
      const text = body === undefined || isTar ? body : JSON.stringify(body);
      const type = isTar ? "application/x-tar" : "application/json";
      const headers: Record<string, string | number> =
        text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) };
      request(method, path, headers, signal).on("response", resolve).on("error", reject).end(text);
    });
  return {
    server,
    call: async (method, path, body) => {
      const answer = await ask(method, path, body, AbortSignal.timeout(answerMs));
      return answerOf(answer);
    },
    follow: async (path, signal) => {
      const answer = await ask("GET", path, undefined, signal);
      if (answer.statusCode === 200) return answer;
      throw new Error(`status ${answer.statusCode}: ${(await textOf(answer)).slice(0, 300)}`);
    },
    upgrade: (method, path, headers, signal) =>
      new Promise((resolve, reject) => {
        const asked = request(method, path, { connection: "Upgrade", accept: "*/*", ...headers });
        const cancel = () => void asked.destroy(new Error("The engine does not answer."));
        const answered = () => signal.removeEventListener("abort", cancel);
        signal.addEventListener("abort", cancel, { once: true });
        asked.on("upgrade", (_, socket: Socket) => {
          answered();
          socket.on("error", () => {});
          resolve(socket);
        });
        asked.on("response", (answer) => {
          answered();
          answerOf(answer).then(resolve, reject);
        });
        asked.on("error", (error) => {
          answered();
          reject(error);
        });
        asked.end();
        if (signal.aborted) cancel();
      }),
  };
};

const answerOf = async (answer: IncomingMessage): Promise<Answer> => {
  const body = await textOf(answer);
  let fields: Answer["body"] = {};
  try {
    fields = JSON.parse(body) as Answer["body"];
  } catch {
    // Nothing, or a proxy in between that answers in HTML.
  }
  const status = answer.statusCode ?? 0;
  return {
    status,
    body: fields,
    message: String(fields?.message ?? `status ${status}`),
    at: Date.parse(answer.headers.date ?? "") || Date.now(),
  };
};

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("The engine's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
