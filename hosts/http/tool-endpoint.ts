import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import * as Effect from "effect/Effect";
import { InsufficientScope } from "../../core/model/access/assistant-rights.ts";
import { resourcePath } from "../../core/model/access/authorization-request.ts";
import type { Caller } from "../../core/model/access/caller.ts";
import { ValidationFailed } from "../../core/model/shared/failure.ts";
import type { RunId } from "../../core/model/shared/ids.ts";
import { inProcessTransport } from "../library/in-process-transport.ts";
import { openClient } from "../library/open-client.ts";
import type { McpHandler } from "../mcp/mcp.ts";
import type { BodyRoom } from "./body-memory.ts";
import { type Followers, TooManyStreams } from "./followers.ts";
import { nameOf } from "./identify.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { readJson } from "./read-request.ts";
import { always } from "./respond.ts";
import { acceptedForms, inAcceptedForm } from "./tool-answer.ts";

/** The path of the interface as tools for models. */
export const toolPath = resourcePath;

/** The parts of the web server that requests for tools share with all others. */
export interface ToolHost {
  readonly bodies: BodyRoom;
  readonly followers: Followers;
  readonly stopping: AbortSignal;
  /** Answers a call of the interface: the tools' calls take the way of all others, with its checks and limits. */
  readonly respond: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Stores that the program of a run knows the tools. */
  readonly recordListed: (runId: RunId) => Promise<void>;
  readonly onDefect: (defect: unknown, request: HttpRequest) => void;
}

/** Loaded with the first request: most services never have one. */
let handler: Promise<McpHandler> | undefined;
const loaded = (): Promise<McpHandler> => {
  handler ??= import("../mcp/mcp.ts").then(({ mcpHandler }) => mcpHandler());
  return handler;
};

/** Answers one request of the Model Context Protocol by a caller who has been identified. */
export const answerTools = Effect.fnUntraced(function* (
  host: ToolHost,
  caller: Exclude<Caller, { kind: "anyone" }>,
  request: HttpRequest,
) {
  const room = host.bodies.enter(nameOf(caller));
  return yield* Effect.gen(function* () {
    const message = yield* readJson(request, room);
    // A batch would carry many calls past the limits of one.
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return yield* Effect.fail(new ValidationFailed([], "The body must be one JSON-RPC message."));
    const { scopesMissing } = yield* Effect.promise(loaded);
    const scopes = scopesMissing(caller, message);
    if (scopes !== null) return yield* Effect.fail(new InsufficientScope({ scope: scopes.join(" ") }));
    const follows = (message as { readonly method?: unknown }).method === "subscriptions/listen";
    if (follows && !acceptedForms(request.headers.accept).events)
      return yield* Effect.fail(
        new ValidationFailed([], "subscriptions/listen is answered with a stream: accept text/event-stream."),
      );
    const unfollow = follows ? host.followers.add(nameOf(caller), toolPath) : () => {};
    if (unfollow === null) return yield* Effect.fail(new TooManyStreams({ retryAfterSec: 10 }));
    return yield* Effect.promise(() => exchange(host, caller, request, { message, follows, unfollow })).pipe(
      Effect.tapDefect(() => Effect.sync(unfollow)),
    );
  }).pipe(Effect.ensuring(Effect.sync(room.leave)));
});

interface Exchange {
  readonly message: object;
  /** The answer is a stream without an end. */
  readonly follows: boolean;
  /** Called when that stream ends. */
  readonly unfollow: () => void;
}

const exchange = async (
  host: ToolHost,
  caller: Exclude<Caller, { kind: "anyone" }>,
  request: HttpRequest,
  { message, follows, unfollow }: Exchange,
): Promise<HttpAnswer> => {
  const { headers } = request;
  const aborted = request.departure.signal;
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const client = openClient(inProcessTransport(host.respond, token, { isOfTool: true }));
  const { answer } = await loaded();
  const made = await answer(
    new Request(`http://localhost${toolPath}`, {
      method: "POST",
      headers: headersOf(headers),
      signal: follows ? AbortSignal.any([aborted, host.stopping]) : aborted,
    }),
    {
      message,
      caller,
      client,
      options: { runId: headers["x-service-run-id"], idempotencyKey: headers["idempotency-key"] },
      onListed: async () => {
        if (caller.kind === "agent" && caller.runId !== null) await host.recordListed(caller.runId);
      },
      onDefect: (defect) => host.onDefect(defect, request),
    },
  );
  const written = { ...always, ...Object.fromEntries(made.headers) };
  if (!follows || made.body === null) {
    unfollow();
    if (made.body === null) return { status: made.status, headers: written, body: null };
    const contentType = made.headers.get("content-type") ?? "";
    const whole = { contentType, text: await made.text() };
    const form = made.ok ? inAcceptedForm(whole, headers.accept) : whole;
    return {
      status: made.status,
      headers: { ...written, "content-type": form.contentType },
      body: form.text,
    };
  }
  const body = Readable.fromWeb(made.body as WebStream<Uint8Array>).on("error", () => {});
  body.once("close", unfollow);
  return { status: made.status, headers: written, body };
};

/**
 * The headers of the protocol. The credential stays here; a value that no header may have is left out. The package
 * requires both forms to be accepted: the endpoint itself answers in the one that the client reads.
 */
const headersOf = (headers: HttpRequest["headers"]): [string, string][] => [
  ...Object.entries(headers).filter(
    ([name, value]) => /^(content-type|mcp-[a-z-]+)$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  ),
  ["accept", "application/json, text/event-stream"],
];
