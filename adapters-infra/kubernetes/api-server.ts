import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { ClusterAccess } from "./kubeconfig.ts";

/** What an API server answers: the few calls that a runner makes, over one pool of connections. */
export interface ApiServer {
  readonly server: string;
  /** Throws where the server does not answer. */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Answer>;
  /** Follows a text until the server ends it or the signal fires. Throws where it breaks, or answers no 200. */
  follow(path: string, signal: AbortSignal): Promise<IncomingMessage>;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The server's own sentence for a status that is no success. */
  readonly message: string;
}

const answerMs = 15_000;
const maxAnswerBytes = 32 * 1024 * 1024;

export const apiServer = (access: ClusterAccess): ApiServer => {
  const { server, ca, cert, key } = access;
  const secure = server.startsWith("https:");
  const options = { keepAlive: true, keepAliveMsecs: 10_000 };
  const agent = secure ? new HttpsAgent({ ...options, ca, cert, key }) : new HttpAgent(options);
  const ask = (method: string, path: string, body: object | undefined, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const token = access.token();
      const asked = (secure ? httpsRequest : httpRequest)(
        `${server}${path}`,
        {
          method,
          agent,
          signal,
          headers: {
            accept: "application/json",
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            ...(text === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
          },
        },
        resolve,
      );
      asked.on("error", reject);
      asked.end(text);
    });
  return {
    server,
    call: async (method, path, body) => {
      const answer = await ask(method, path, body, AbortSignal.timeout(answerMs));
      const said = await textOf(answer);
      let fields: Answer["body"] = {};
      try {
        fields = JSON.parse(said) as Answer["body"];
      } catch {
        // A proxy in between may answer in HTML.
      }
      const status = answer.statusCode ?? 0;
      return { status, body: fields, message: String(fields.message ?? `status ${status}`) };
    },
    follow: async (path, signal) => {
      const answer = await ask("GET", path, undefined, signal);
      if (answer.statusCode === 200) return answer;
      throw new Error(`status ${answer.statusCode}: ${(await textOf(answer)).slice(0, 300)}`);
    },
  };
};

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("The API server's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
