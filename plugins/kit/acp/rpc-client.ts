import type { CancelNotification } from "@agentclientprotocol/sdk";
import { asObject, asText, type Json, parseObject } from "../json.ts";
import { type Method, type Requests, requestIds } from "./requests.ts";

/** An error that the other side answered with. */
export class RpcError extends Error {
  readonly code: number | null;
  readonly data: unknown;
  constructor(message: string, code: number | null, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The program ended while an answer was awaited. */
export class ProgramGone extends Error {}

export interface RpcHandlers {
  /** Resolves with the answer of a request, and never rejects; undefined: there is no such method. */
  readonly onRequest: (method: string, params: Json) => Promise<Json> | undefined;
  readonly onNotification: (method: string, params: Json) => void;
}

/** Our end of a JSON-RPC connection, one message a line. */
export interface RpcClient {
  /** `id`: of a request next to one of the same method. */
  request<M extends Method>(method: M, params: Requests[M], id?: number): Promise<Json>;
  notify(method: "session/cancel", params: CancelNotification): void;
  /** Takes a line of the program's output; one that is no message is only output. */
  receive(line: string): void;
  /** Nothing more is heard. */
  close(): void;
}

interface Pending {
  resolve(answer: Json): void;
  reject(error: Error): void;
}

const methodNotFound = -32601;

/** Our own, because the SDK's client drops updates that it does not know. */
export const rpcClient = (write: (line: string) => void, handlers: RpcHandlers): RpcClient => {
  const pending = new Map<number, Pending>();
  let isClosed = false;
  const send = (message: Json) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id: string | number, method: string, params: Json) => {
    const result = handlers.onRequest(method, params);
    if (result === undefined)
      send({ id, error: { code: methodNotFound, message: `Method not found: ${method.slice(0, 100)}` } });
    else
      void result.then((value) => {
        if (!isClosed) send({ id, result: value });
      });
  };
  const take = (id: unknown, { result, error }: Json) => {
    // A second answer to one request finds none.
    const waiting = typeof id === "number" ? pending.get(id) : undefined;
    if (waiting === undefined) return;
    pending.delete(id as number);
    const failed = asObject(error);
    if (failed === null) waiting.resolve(asObject(result) ?? {});
    else
      waiting.reject(
        new RpcError(
          asText(failed.message) || "it gave no reason",
          typeof failed.code === "number" ? failed.code : null,
          failed.data,
        ),
      );
  };
  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params, id = requestIds[method]) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ProgramGone());
        pending.set(id, { resolve, reject });
        send({ id, method, params });
      }),
    receive: (line) => {
      const message = parseObject(line);
      if (message === null || isClosed) return;
      const { id, method } = message;
      const params = asObject(message.params) ?? {};
      if (typeof method !== "string") take(id, message);
      else if (typeof id === "string" || typeof id === "number") answer(id, method, params);
      else handlers.onNotification(method, params);
    },
    close: () => {
      isClosed = true;
      for (const { reject } of pending.values()) reject(new ProgramGone());
      pending.clear();
    },
  };
};
