import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { clause } from "../../../core/model/shared/sentence.ts";
import { BoardroomError } from "../../library/client-error.ts";
import { readEvents } from "../../library/event-reader.ts";
import { reasonOf } from "../../library/http-transport.ts";
import type { Connection } from "../connection/connect.ts";
import type { Terminal } from "../terminal.ts";

/** A message of the Model Context Protocol, as far as it matters for its way. */
interface Message {
  readonly id?: string | number | null;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly protocolVersion?: unknown;
    readonly requestId?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: unknown };
}

const versionField = "io.modelcontextprotocol/protocolVersion";

const parseError = -32_700;
/** Of an implementation: no answer of the service, or a refusal of its web server. */
const noAnswer = -32_000;

/**
 * Passes messages between standard input and the service, each line one message. Resolves when the input has ended and
 * all requests are answered; streams for news end with the input.
 */
export const passMessages = async (
  { baseUrl, token, runId }: Connection,
  input: Readable,
  terminal: Pick<Terminal, "out" | "err">,
): Promise<void> => {
  const address = `${baseUrl.replace(/\/+$/, "")}/mcp`;
  const pending = new Map<unknown, AbortController>();
  const ended = new AbortController();
  /** Agreed upon by a program with a handshake. */
  let agreed: string | undefined;

  const write = (message: unknown): void => terminal.out(`${JSON.stringify(message)}\n`);
  const refuse = (id: Message["id"], code: number, message: string): void => {
    if (id === undefined) terminal.err(`${message}\n`);
    else write({ jsonrpc: "2.0", id, error: { code, message } });
  };

  const receive = (message: Message): void => {
    const version = message.result?.protocolVersion;
    if (typeof version === "string") agreed = version;
    write(message);
  };

  const exchange = async (message: Message, line: string, signal: AbortSignal): Promise<void> => {
    const answer = await fetch(address, {
      method: "POST",
      headers: headersFor({ token, runId }, message, agreed),
      body: line,
      signal,
      redirect: "manual",
    });
    if (answer.headers.get("content-type")?.startsWith("text/event-stream") && answer.body !== null) {
      for await (const { data } of readEvents<Message>(answer.body, (arriving) => arriving)) receive(data);
      return;
    }
    const text = await answer.text();
    const body = text === "" ? null : parsed(text);
    if (body !== null && "jsonrpc" in body) return receive(body as Message);
    if (answer.ok) return;
    const refused = BoardroomError.of(answer.status, Object.fromEntries(answer.headers), text);
    refuse(message.id, noAnswer, `${refused.message} (${refused.code})`);
  };

  const pass = async (line: string): Promise<void> => {
    const message = parsed(line) as Message | null;
    if (message === null) return refuse(null, parseError, "The line isn't a JSON-RPC message.");
    if (message.method === "notifications/cancelled" && pending.has(message.params?.requestId))
      return pending.get(message.params?.requestId)?.abort();
    const gone = new AbortController();
    if (message.id !== undefined) pending.set(message.id, gone);
    const follows = message.method === "subscriptions/listen";
    const signal = follows ? AbortSignal.any([gone.signal, ended.signal]) : gone.signal;
    try {
      await exchange(message, line, signal);
    } catch (error) {
      if (!signal.aborted)
        refuse(
          message.id,
          noAnswer,
          `No response from ${baseUrl}: ${clause(reasonOf(error))}. (service_unreachable)`,
        );
    } finally {
      pending.delete(message.id);
    }
  };

  const passing = new Set<Promise<void>>();
  for await (const line of createInterface({ input })) {
    if (line.trim() === "") continue;
    const passed = pass(line).finally(() => passing.delete(passed));
    passing.add(passed);
  }
  ended.abort();
  await Promise.all(passing);
};

/** `agreed`: the version of the protocol that messages without one of their own have. */
const headersFor = (
  { token, runId }: Pick<Connection, "token" | "runId">,
  { method, params }: Message,
  agreed: string | undefined,
): Record<string, string> => {
  const named = params?._meta?.[versionField];
  const version = typeof named === "string" ? named : agreed;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(runId === undefined ? {} : { "x-service-run-id": runId }),
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    ...(typeof named === "string" ? { "mcp-method": String(method) } : {}),
    ...(typeof named === "string" && typeof params?.name === "string" ? { "mcp-name": params.name } : {}),
  };
};

const parsed = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};
