import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import { anyone, Unauthenticated } from "../../core/model/access/caller.ts";
import type { ReceivedFile } from "../../core/model/assets/asset.ts";
import type { Refusal } from "../../core/model/shared/failure.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { App } from "../api/endpoint/app.ts";
import { type Answer, dispatch, locateBeforeCaller } from "../api/endpoint/dispatch.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import { takesFile } from "../api/endpoint/file-endpoint.ts";
import type { FileAnswer } from "../api/endpoint/files.ts";
import { databaseSilent, outageIn } from "../api/endpoint/outages.ts";
import type { NamedEndpoint } from "../api/index.ts";
import { Admission, isLimited, type RequestLimits } from "./admission.ts";
import { afterConnections } from "./after-connections.ts";
import { BodyRoom } from "./body-memory.ts";
import { addressOf } from "./client-of.ts";
import { compressed } from "./compress.ts";
import { fileResponse } from "./file-response.ts";
import { followFeed } from "./follow-feed.ts";
import { Followers } from "./followers.ts";
import { answerGit, GitRequests, gitPath } from "./git-endpoint.ts";
import { Guesses } from "./guesses.ts";
import { identify, nameOf } from "./identify.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { hasMetricsToken } from "./metrics-token.ts";
import { challenged } from "./oauth/challenge.ts";
import { Oauth } from "./oauth/oauth-endpoint.ts";
import { checkOrigin, HostNotAllowed } from "./origin.ts";
import type { Pages } from "./pages.ts";
import { parseQuery, readBytes, readJson } from "./read-request.ts";
import { KeyOutOfBounds, MalformedEncoding, NoSuchRoute } from "./refusals.ts";
import { internalError, json, methodNotAllowed, refused, text, unavailable } from "./respond.ts";
import { type Match, PathMalformed, route } from "./router.ts";
import { credentialOf, sessionCookie } from "./session-cookie.ts";
import { StreamChecks } from "./stream-checks.ts";
import { answerTools, type ToolHost, toolPath } from "./tool-endpoint.ts";
import { traced } from "./trace-request.ts";
import { readUpload } from "./upload.ts";

export interface ServerOptions {
  /** Allowed in addition to addresses and localhost. */
  readonly allowedHostnames: ReadonlySet<string>;
  /** A proxy stands before the service, and says where requests come from. */
  readonly isBehindProxy?: boolean;
  /** Gives scrapers access to /metrics; null: only instance admins have it. */
  readonly metricsToken: string | null;
  /** Omitted: without limits. */
  readonly limits?: RequestLimits;
  /** The board page; omitted if an embedding program has its own pages. */
  readonly pages?: Pages;
  /** Fires when the service begins to stop: event streams end then. */
  readonly stopping: AbortSignal;
  /** Fires when the grace period of a stop is over: requests in progress are interrupted. */
  readonly overdue?: AbortSignal;
  /** Receives defects, which must not reach the client. */
  readonly onDefect: (cause: Cause.Cause<unknown>, request: HttpRequest) => void;
  /** null or omitted: requests are not traced. */
  readonly telemetry?: Telemetry | null;
  /** Called for every answer, for metrics. */
  readonly onAnswer?: (name: string, status: number, millis: number) => void;
}

/** Translates requests to calls of endpoints, and outcomes to answers. */
export const server = (app: App, options: ServerOptions) => {
  const bodies = new BodyRoom();
  const state: State = {
    followers: new Followers(),
    checks: new StreamChecks(),
    bodies,
    oauth: options.pages === undefined ? null : new Oauth(bodies),
    git: new GitRequests(),
    admission: options.limits === undefined ? null : new Admission(options.limits),
    guesses: new Guesses(),
  };
  const tools: ToolHost = {
    ...state,
    stopping: options.stopping,
    respond: (request) => respond(request),
    // Only the prompt of the next run depends on it.
    recordListed: (runId) => Effect.runPromise(Effect.ignoreCause(app.runs.recordToolsListed(runId))),
    onDefect: (defect, request) => options.onDefect(Cause.die(defect), request),
  };
  const respond = async (request: HttpRequest): Promise<HttpAnswer> => {
    const began = performance.now();
    const handled =
      request.path === toolPath
        ? await handleTools(app, options, state, tools, request)
        : request.path.startsWith(gitPath)
          ? await handleGit(app, options, state, request)
          : ((await handleOauth(app, options, state, request)) ??
            (await handle(app, options, state, request)));
    const { name } = handled;
    const answer =
      handled.holdsCredential || handled.isGit ? handled.answer : await compressed(request, handled.answer);
    if (handled.answer !== unanswered) options.onAnswer?.(name, answer.status, performance.now() - began);
    return answer;
  };
  return respond;
};

/** Figures of the web server: its open streams and requests in progress. */
interface State {
  readonly followers: Followers;
  readonly checks: StreamChecks;
  readonly bodies: BodyRoom;
  readonly git: GitRequests;
  readonly admission: Admission | null;
  readonly guesses: Guesses;
  /** null: there is no page that could ask a person. */
  readonly oauth: Oauth | null;
}

interface Handled {
  readonly name: string;
  readonly answer: HttpAnswer;
  /** Not compressed: the size next to text of the caller's choice would reveal the credential. */
  readonly holdsCredential?: boolean;
  /** Not compressed: packs are. */
  readonly isGit?: boolean;
}

const handle = async (
  app: App,
  options: ServerOptions,
  state: State,
  request: HttpRequest,
): Promise<Handled> => {
  const unrouted = (answer: HttpAnswer): Handled => ({ name: "unrouted", answer });
  const foreign = checkOrigin(request, options.allowedHostnames);
  if (foreign instanceof HostNotAllowed) return unrouted(refused(foreign));
  let match: Match | null;
  try {
    match = route(request.path);
  } catch (error) {
    if (!(error instanceof PathMalformed)) throw error;
    return unrouted(
      refused(new MalformedEncoding([{ path: ["path"], code: "malformed", message: "does not decode" }])),
    );
  }
  if (match === null) {
    if (request.method === "OPTIONS" && request.path === "/") return { name: "page", answer: rootOptions };
    const page = options.pages?.(request) ?? null;
    return page === null ? unrouted(refused(new NoSuchRoute())) : { name: "page", answer: page };
  }
  const method = request.method === "HEAD" ? "GET" : request.method;
  const named = match.byMethod.get(method);
  if (named === undefined) {
    // A link that programs post to may be opened in a browser.
    const page = method === "GET" ? (options.pages?.(request) ?? null) : null;
    if (page !== null) return { name: "page", answer: page };
    const allowed = [...match.byMethod.keys()];
    return unrouted(methodNotAllowed(allowed.includes("GET") ? [...allowed, "HEAD"] : allowed));
  }
  // An endpoint that ignores the service's credentials needs no origin check.
  if (foreign !== null && named.endpoint.raw === undefined) return unrouted(refused(foreign));
  const admission = isLimited(named.endpoint) ? state.admission : null;
  const called = traced(
    options.telemetry,
    named,
    request,
    call(app, options, { ...state, admission }, { named, match, request }),
  );
  const work = admission === null ? called : admission.run(afterConnections(request, called));
  const { whenSilent } = named.endpoint;
  const exit = await (whenSilent === null
    ? Effect.runPromiseExit(work, {
        signal: options.overdue,
        ...(endsWithCaller(named.endpoint)
          ? { onFiberStart: (fiber) => void request.departure.onDeparted(() => fiber.interruptUnsafe()) }
          : {}),
      })
    : exitWithin(whenSilent.afterMs, work));
  if (Exit.isSuccess(exit)) {
    const { creates, setsSession } = named.endpoint;
    return {
      name: named.name,
      answer: exit.value,
      holdsCredential: setsSession || (creates?.showsSecret ?? false),
    };
  }
  return { name: named.name, answer: failed(app, options, request, exit.cause, whenSilent?.says) };
};

/** The answer to a request that was refused or failed. */
const failed = (
  app: App,
  options: ServerOptions,
  request: HttpRequest,
  cause: Cause.Cause<Refusal>,
  says?: Readonly<Record<string, string>>,
): HttpAnswer => {
  const failure = Cause.findError(cause);
  if (Result.isSuccess(failure)) return refused(failure.success);
  const isGone = request.departure.isDeparted;
  if (isGone && Cause.hasInterruptsOnly(cause)) return unanswered;
  if (!isGone) options.onDefect(cause, request);
  const outage = outageIn(cause);
  if (outage === null) return internalError();
  app.service.recordOutage(outage);
  return unavailable(outage, says);
};

/** The interface as tools: a request with a token, whose calls take the way of all others. */
const handleTools = async (
  app: App,
  options: ServerOptions,
  { admission, guesses, oauth }: State,
  tools: ToolHost,
  request: HttpRequest,
): Promise<Handled> => {
  const answered = (answer: HttpAnswer): Handled => ({ name: "mcp", answer });
  const foreign = checkOrigin(request, options.allowedHostnames);
  if (foreign !== null) return answered(refused(foreign));
  if (request.method !== "POST") return answered(methodNotAllowed(["POST"]));
  const { cookie: _, ...headers } = request.headers;
  const identified = Effect.gen(function* () {
    const address = addressOf(request, options.isBehindProxy ?? false);
    const byToken = { ...request, headers };
    const caller = yield* guesses.identify(address, credentialOf(app, byToken), identify(app, byToken));
    if (caller.kind === "anyone") return yield* Effect.fail(new Unauthenticated());
    if (admission !== null) yield* admission.take(caller, undefined);
    return caller;
  });
  // Its calls are counted as in progress, and not the message around them.
  const work = (admission === null ? identified : admission.run(afterConnections(request, identified))).pipe(
    Effect.flatMap((caller) => answerTools(tools, caller, request)),
  );
  const exit = await Effect.runPromiseExit(work, { signal: options.overdue });
  const answer = Exit.isSuccess(exit) ? exit.value : failed(app, options, request, exit.cause);
  return answered(
    oauth === null ? answer : challenged(app, request, answer, Exit.isSuccess(exit) ? null : exit.cause),
  );
};

/** The authorization server of assistants; null: the request is not for it. */
const handleOauth = async (
  app: App,
  options: ServerOptions,
  { admission, guesses, oauth }: State,
  request: HttpRequest,
): Promise<Handled | null> => {
  const address = addressOf(request, options.isBehindProxy ?? false);
  const work = oauth?.answer({ app, request, address, guesses }) ?? null;
  if (work === null) return null;
  const answered = (answer: HttpAnswer): Handled => ({ name: "oauth", answer, holdsCredential: true });
  const foreign = checkOrigin(request, options.allowedHostnames);
  if (foreign !== null) return answered(refused(foreign));
  const exit = await Effect.runPromiseExit(
    admission === null ? work : admission.run(afterConnections(request, work)),
    { signal: options.overdue },
  );
  return answered(Exit.isSuccess(exit) ? exit.value : failed(app, options, request, exit.cause));
};

/** Git of runs, which has a form of its own for answers and refusals. */
const handleGit = async (
  app: App,
  options: ServerOptions,
  { admission, git }: State,
  request: HttpRequest,
): Promise<Handled> => {
  const answered = (answer: HttpAnswer): Handled => ({ name: "git", answer, isGit: true });
  const foreign = checkOrigin(request, options.allowedHostnames);
  if (foreign !== null) return answered(refused(foreign));
  const work = answerGit(app, git, request);
  const exit = await Effect.runPromiseExit(
    admission === null ? work : admission.run(afterConnections(request, work)),
    { signal: options.overdue },
  );
  return answered(Exit.isSuccess(exit) ? exit.value : failed(app, options, request, exit.cause));
};

/** HAProxy's default check, which it uses where its configuration names no path. */
const rootOptions: HttpAnswer = { status: 204, headers: { allow: "GET, HEAD, OPTIONS" }, body: null };

/** The status of a request whose caller has gone away. It is neither sent nor counted. */
const unanswered: HttpAnswer = { status: 500, headers: {}, body: null };

/** A read changes nothing, so that it may end at any point. Files and streams release what they have opened by themselves. */
const endsWithCaller = ({ method, media }: Endpoint): boolean =>
  method === "GET" && media !== "file" && media !== "events";

/** Waits at most that long, not even for the end of the interrupted work. */
const exitWithin = async <A, E>(ms: number, work: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> => {
  const enough = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<Exit.Exit<A, E>>((resolve) => {
    timer = setTimeout(() => {
      resolve(Exit.die(databaseSilent(ms)));
      enough.abort();
    }, ms);
  });
  const exit = await Promise.race([silence, Effect.runPromiseExit(work, { signal: enough.signal })]);
  clearTimeout(timer);
  return exit;
};

/** A request with the endpoint that its path and method name. */
interface Routed {
  readonly named: NamedEndpoint;
  readonly match: Match;
  readonly request: HttpRequest;
}

const call = Effect.fnUntraced(function* (app: App, options: ServerOptions, state: State, routed: Routed) {
  const { named, match, request } = routed;
  const { name, endpoint } = named;
  const { admission, guesses } = state;
  const address = addressOf(request, options.isBehindProxy ?? false);
  const key = request.headers["idempotency-key"] ?? null;
  if (key !== null && (key === "" || key.length > 255)) yield* Effect.fail(new KeyOutOfBounds());
  if (endpoint.raw !== undefined) {
    // Its callers have no name but the address that they know.
    const room = state.bodies.enter(request.path);
    const raw = {
      headers: request.headers,
      body: whenWhole(admission, request, readBytes(request, room)),
    };
    const unparsed = { params: match.params, query: {}, body: Effect.succeed(raw), idempotencyKey: null };
    const answer = yield* dispatch(app, name, endpoint, anyone, unparsed).pipe(
      Effect.ensuring(Effect.sync(room.leave)),
    );
    return present(app, endpoint, answer);
  }
  const isAdmitted = endpoint.access.metricsToken && hasMetricsToken(request, options.metricsToken);
  const needsNoCaller = isAdmitted || endpoint.access.link;
  const hasCredential = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
  const locating = needsNoCaller || !hasCredential ? null : locateBeforeCaller(app, endpoint, match.params);
  const identified = needsNoCaller
    ? Effect.succeed(anyone)
    : guesses.identify(address, credentialOf(app, request), identify(app, request, address));
  const [caller, located] =
    locating === null
      ? [yield* identified, undefined]
      : yield* Effect.all([identified, locating], { concurrency: "unbounded" });
  if (admission !== null) yield* admission.take(caller, match.params.companyId);
  let file: ReceivedFile | null = null;
  let bodyWasThere = true;
  const query = yield* parseQuery(request.query);
  // The body holds its room until the request is answered.
  const room = state.bodies.enter(nameOf(caller));
  const body = takesFile(endpoint)
    ? readUpload(app, endpoint, request, (stored) => {
        file = stored;
      })
    : readJson(request, room);
  const dispatched = dispatch(app, name, endpoint, caller, {
    params: match.params,
    client: { address, userAgent: request.headers["user-agent"] ?? null },
    located,
    query,
    body: Effect.suspend(() => {
      bodyWasThere = request.hasWholeBody();
      return whenWhole(admission, request, body);
    }),
    callerThen: Effect.suspend(() =>
      bodyWasThere || needsNoCaller ? Effect.succeed(caller) : identify(app, request),
    ),
    idempotencyKey: endpoint.creates === null ? null : key,
    isAdmitted,
  });
  const answer = yield* (endpoint.access.link ? guesses.tryLink(address, dispatched) : dispatched).pipe(
    Effect.ensuring(
      Effect.suspend(() => {
        room.leave();
        // Discards an unreferenced file: that of a refused request or of a repetition under the same key.
        return file === null ? Effect.void : app.assets.discard(file).pipe(Effect.ignoreCause);
      }),
    ),
  );
  if (endpoint.media === "file") return yield* fileResponse(request, answer.body as FileAnswer);
  if (answer.feed === null) return present(app, endpoint, answer);
  const host = { ...state, stopping: options.stopping };
  return yield* followFeed(app, host, { name, endpoint, match, request }, { caller, feed: answer.feed });
});

const present = (app: App, endpoint: Endpoint, { status, body, nextCursor, session }: Answer): HttpAnswer => {
  if (endpoint.media === "text") return text(body as string);
  return json(status, body, {
    ...(nextCursor === null ? {} : { "x-next-cursor": nextCursor }),
    ...(session === undefined ? {} : { "set-cookie": sessionCookie(app, session) }),
  });
};

/** Reads a body. The wait for the client does not count as progress. */
const whenWhole = <A, E>(
  admission: Admission | null,
  request: HttpRequest,
  body: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.suspend(() => (admission === null || request.hasWholeBody() ? body : admission.outside(body)));
