import type { Media } from "../api/endpoint/endpoint.ts";
import { BoardroomError } from "./client-error.ts";
import { textOf } from "./read-answer.ts";
import type { ClientAnswer, ClientRequest, Transport } from "./transport.ts";
import type { WireEndpoint } from "./wire.ts";

export interface CallOptions {
  /** For calls that create: the same key with the same request is carried out once within 24 hours. */
  readonly idempotencyKey?: string | undefined;
  /** The live run an agent with a long-lived key acts in; implied by a run's token. */
  readonly runId?: string | undefined;
  /** An id of yours for a change: the events of what it does have it as `requestId`. */
  readonly requestId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowOptions extends Omit<CallOptions, "idempotencyKey" | "requestId"> {
  /** Continues after this event instead of starting now. */
  readonly lastEventId?: string | undefined;
  /** Reconnects after a lost connection and continues; ends then only by a refusal, but not of too many calls, or the signal. */
  readonly reconnect?: boolean | undefined;
  /** Called each time the service has answered, before it has sent an event. */
  readonly onOpen?: (() => void) | undefined;
  /** Called each time the connection was lost and another one is to follow. */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface NamedWire extends WireEndpoint {
  /** `issues.checkout`. */
  readonly name: string;
}

const accepted: Record<Media, string> = {
  json: "application/json",
  page: "application/json",
  text: "text/plain",
  events: "text/event-stream",
  file: "*/*",
};

/** Sends a call and throws its refusal. */
export const send = async (
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
      ...(options.requestId === undefined ? {} : { "x-service-request-id": options.requestId }),
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
