import type { z } from "zod";
import type { Id } from "../../core/shared/ids.ts";
import type { Endpoint, Media, Method } from "../api/endpoint/endpoint.ts";
import type { DownloadedFile } from "../api/endpoint/files.ts";
import type { ParamsOf } from "../api/endpoint/params.ts";
import type { Api } from "../api/index.ts";
import { BoardroomError, ServiceSilent } from "./client-error.ts";
import { type ReceivedEvent, readEvents } from "./event-reader.ts";
import type { Wire, WireEndpoint } from "./wire.ts";

/** One call, as a transport carries it. A transport without addresses goes by `name` and `params`. */
export interface ClientRequest {
  /** `issues.checkout`. */
  readonly name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly method: Method;
  /** The percent-encoded path, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. The transport adds credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON-safe, or the form of an upload; undefined: no body. */
  readonly body: unknown;
  /** The answer is a file: it is not read into memory. */
  readonly wantsFile: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The answer, refusals included. */
export interface ClientAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, plain text, server-sent events or the bytes of a file, as the endpoint's media says. */
  readonly body: string | ReadableStream<Uint8Array>;
}

/** Carries calls to a service. Rejects only without an answer: with `ServiceUnreachable` or the signal's reason. */
export type Transport = (request: ClientRequest) => Promise<ClientAnswer>;

export interface CallOptions {
  /** For calls that create: the same key with the same request is carried out once within 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /** The live run an agent with a long-lived key acts in; implied by a run's token. */
  readonly runId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Continues after this event instead of starting now. */
  readonly lastEventId?: string | undefined;
  /** Reconnects after a lost connection and continues; ends then only by a refusal or the signal. */
  readonly reconnect?: boolean | undefined;
  /** Called each time the service has answered, before it has sent an event. */
  readonly onOpen?: (() => void) | undefined;
}

/** Maps branded ids to plain strings. */
type Plain<T> =
  T extends Id<string> ? string : T extends readonly (infer Item)[] ? readonly Plain<Item>[] : T;

type PathInput<Path extends string> = { readonly [Name in keyof ParamsOf<Path>]: string };

/** A query field: a list, flag or number, or the text that is sent. */
type QueryInput<Q extends z.ZodType> =
  HasNone<Q> extends true
    ? unknown
    : {
        readonly [Field in keyof z.input<Q>]: Plain<
          z.output<Q>[Field & keyof z.output<Q>] | Texts<z.input<Q>[Field]>
        >;
      };
/** Detects an object without fields, which zod types as a record of never. */
type HasNone<O extends z.ZodType> = string extends keyof z.input<O> ? true : false;

type Texts<T> = unknown extends T ? never : T;

type BodyInput<B extends z.ZodType> =
  HasNone<B> extends true ? unknown : { readonly [Field in keyof z.input<B>]: Plain<z.input<B>[Field]> };

type Simplify<T> = { [Key in keyof T]: T[Key] };

/** The input of a call: path, query and body fields in one object. */
export type Input<E> =
  E extends Endpoint<infer Path, infer Q, infer B, z.ZodType>
    ? Simplify<PathInput<Path> & QueryInput<Q> & BodyInput<B>>
    : never;

export interface PageOf<Row> {
  readonly items: readonly Row[];
  /** Cursor of the next page; null on the last. */
  readonly next: string | null;
}

type Arguments<In, Options> =
  Record<never, never> extends In ? [input?: In, options?: Options] : [input: In, options?: Options];

interface PageCall<In, Row> {
  (...args: Arguments<In, CallOptions>): Promise<PageOf<Row>>;
  /** Every row of every page; `limit` is then the size of a page. */
  all(...args: Arguments<In, CallOptions>): AsyncGenerator<Row, void, undefined>;
}

type CallOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodObject, infer Returns, infer M>
    ? M extends "events"
      ? (
          ...args: Arguments<Input<E>, FollowOptions>
        ) => AsyncGenerator<ReceivedEvent<z.output<Returns>>, void, undefined>
      : M extends "page"
        ? PageCall<Input<E>, z.output<Returns> extends readonly (infer Row)[] ? Row : never>
        : (...args: Arguments<Input<E>, CallOptions>) => Promise<z.output<Returns>>
    : never;

/** The client: `client.issues.checkout({ issueId, agentId, expectedStatuses })`. */
export type Client = {
  readonly [Group in keyof Api]: { readonly [Action in keyof Api[Group]]: CallOf<Api[Group][Action]> };
};

type Fields = Readonly<Record<string, unknown>>;

interface NamedWire extends WireEndpoint {
  /** `issues.checkout`. */
  readonly name: string;
}

/**
 * Makes a client of the service behind the transport, with the shape of the API. It uses only the types of the
 * declarations, so that it runs in a browser with a wire table.
 */
export const createClient = (transport: Transport, wire: Wire): Client => {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [group, actions] of Object.entries(wire)) {
    client[group] = {};
    for (const [action, endpoint] of Object.entries<WireEndpoint>(actions))
      client[group][action] = callOf(transport, { name: `${group}.${action}`, ...endpoint });
  }
  return client as unknown as Client;
};

const callOf = (transport: Transport, named: NamedWire): unknown => {
  switch (named.media) {
    case "page": {
      const page = (input: Fields = {}, options: CallOptions = {}) =>
        getPage(transport, named, input, options);
      return Object.assign(page, {
        async *all(input: Fields = {}, options: CallOptions = {}) {
          for (let cursor = input.cursor; ; ) {
            const { items, next } = await page({ ...input, cursor }, options);
            yield* items;
            if (next === null) return;
            cursor = next;
          }
        },
      });
    }
    case "events":
      return (input: Fields = {}, options: FollowOptions = {}) => follow(transport, named, input, options);
    case "text":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        textOf((await send(transport, named, input, options)).body);
    case "file":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        fileOf(await send(transport, named, input, options));
    case "json":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        jsonOf(await send(transport, named, input, options));
  }
};

const getPage = async (
  transport: Transport,
  named: NamedWire,
  input: Fields,
  options: CallOptions,
): Promise<PageOf<unknown>> => {
  const answer = await send(transport, named, input, options);
  return {
    items: (await jsonOf(answer)) as readonly unknown[],
    next: answer.headers["x-next-cursor"] ?? null,
  };
};

const firstPauseMs = 500;
const longestPauseMs = 15_000;

async function* follow(
  transport: Transport,
  named: NamedWire,
  input: Fields,
  { reconnect = false, onOpen, ...options }: FollowOptions,
): AsyncGenerator<ReceivedEvent<unknown>, void, undefined> {
  let lastEventId = options.lastEventId;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const { signal, wait, end } = patience(options.signal);
    try {
      const answer = await wait(send(transport, named, input, { ...options, signal, lastEventId }), answerMs);
      onOpen?.();
      for await (const event of readEvents(answer.body, (arriving) => wait(arriving, silentMs))) {
        lastEventId = event.id;
        pauseMs = firstPauseMs;
        yield event;
      }
    } catch (error) {
      const refused = error instanceof BoardroomError && error.status < 500;
      if (!reconnect || refused || options.signal?.aborted) throw error;
    } finally {
      end();
    }
    if (!reconnect) return;
    await pause(pauseMs, options.signal);
  }
}

/** The service sends something every 10 s. What is silent for longer than two of these is lost, though nothing closed it. */
const silentMs = 25_000;
/** For the beginning of an answer, which takes the service much less. */
const answerMs = 15_000;

/** Gives up a connection that is silent while something is waited for: its other end may be gone without a word. */
const patience = (given: AbortSignal | undefined) => {
  const over = new AbortController();
  const stop = () => over.abort(given?.reason);
  if (given?.aborted) stop();
  else given?.addEventListener("abort", stop, { once: true });
  const wait = async <T>(arriving: Promise<T>, ms: number): Promise<T> => {
    const timer = setTimeout(() => over.abort(new ServiceSilent(ms)), ms);
    try {
      return await arriving;
    } catch (error) {
      // Not every runtime rejects a read with the reason.
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  };
  return { signal: over.signal, wait, end: () => given?.removeEventListener("abort", stop) };
};

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

const accepted: Record<Media, string> = {
  json: "application/json",
  page: "application/json",
  text: "text/plain",
  events: "text/event-stream",
  file: "*/*",
};

/** Sends a call and throws its refusal. */
const send = async (
  transport: Transport,
  named: NamedWire,
  input: Fields,
  options: FollowOptions & CallOptions,
): Promise<ClientAnswer> => {
  const answer = await transport(requestOf(named, input, options));
  if (answer.status < 200 || answer.status > 299)
    throw BoardroomError.of(answer.status, answer.headers, await textOf(answer.body));
  return answer;
};

const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

const requestOf = (
  { name, method, path, media, ...wire }: NamedWire,
  input: Fields,
  options: FollowOptions & CallOptions,
): ClientRequest => {
  const rest: Record<string, unknown> = { ...input };
  const params: Record<string, string> = {};
  for (const param of namesIn(path)) {
    const value = rest[param];
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} needs a ${param}.`);
    params[param] = value;
    delete rest[param];
  }
  const query: Record<string, string> = {};
  for (const field of wire.query) {
    const value = rest[field];
    if (value !== undefined) query[field] = Array.isArray(value) ? value.join(",") : String(value);
    delete rest[field];
  }
  const isEmpty = Object.values(rest).every((value) => value === undefined);
  // Undeclared fields are sent, too: the service refuses them by name.
  const body = wire.body === null && isEmpty ? undefined : wire.body === "form" ? formOf(rest) : rest;
  return {
    name,
    params,
    method,
    path: path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? "")),
    query,
    headers: {
      accept: accepted[media],
      ...(options.idempotencyKey === undefined ? {} : { "idempotency-key": options.idempotencyKey }),
      ...(options.runId === undefined ? {} : { "x-service-run-id": options.runId }),
      ...(options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId }),
    },
    body,
    wantsFile: media === "file",
    signal: options.signal,
  };
};

const formOf = (fields: Fields): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    // Passing a name would make another File, without the custom reading of this one.
    if (value instanceof Blob) form.set(name, value);
    else if (value !== undefined && value !== null) form.set(name, String(value));
  }
  return form;
};

const fileOf = ({ headers, body }: ClientAnswer): DownloadedFile => {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(headers["content-disposition"] ?? "") ?? [];
  const length = headers["content-length"];
  return {
    contentType: headers["content-type"] ?? "application/octet-stream",
    filename: encoded === undefined ? null : decodeURIComponent(encoded),
    byteSize: length === undefined ? null : Number(length),
    body: typeof body === "string" ? new Blob([body]).stream() : body,
  };
};

const textOf = async (body: ClientAnswer["body"]): Promise<string> =>
  typeof body === "string" ? body : new Response(body).text();

const jsonOf = async ({ body, status, headers }: ClientAnswer): Promise<unknown> => {
  const text = await textOf(body);
  if (status === 204) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // For example a proxy's page.
    throw BoardroomError.of(status, headers, text);
  }
};
