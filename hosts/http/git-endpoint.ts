import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import { RunEnded, Unauthenticated } from "../../core/access/caller.ts";
import { RepositoryNotFound } from "../../core/repositories/repository.ts";
import type { Refusal } from "../../core/shared/failure.ts";
import { isUuid, type RepositoryId, type RunId } from "../../core/shared/ids.ts";
import type { GitService } from "../../ports/code-stores.ts";
import type { App } from "../api/endpoint/app.ts";
import { statusOf } from "../api/endpoint/statuses.ts";
import { identify } from "./identify.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";

/** Below it are the repositories of runs: `/git/<repositoryId>/shared` to read, `/git/<repositoryId>/kept` to push. */
export const gitPath = "/git/";

/** The largest body, as it is sent. */
const bodyMaxBytes = 600 * 2 ** 20;
/** How many requests of one run are answered at the same time. */
const ofOneRun = 4;

const path = /^\/git\/([^/]+)\/(shared|kept)\/(info\/refs|git-upload-pack|git-receive-pack)$/;

const text = (status: number, said: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  body: `${said}\n`,
});

/** A refusal in a form that git shows; without a credential it asks for one. */
const refused = (refusal: Refusal): HttpAnswer => {
  const status = statusOf[refusal.kind];
  return text(
    status,
    refusal.message,
    status === 401 ? { "www-authenticate": 'Basic realm="boardroom"' } : {},
  );
};

/** The caller: a run, or the service's own step that keeps the work of one. */
const askerOf = Effect.fnUntraced(function* (app: App, request: HttpRequest) {
  const [, bearer = ""] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const keep = bearer === "" ? null : yield* app.credentials.readKeepToken(bearer);
  if (keep !== null) return { runId: keep.runId, answer: app.repositories.answerKeep, isKeep: true };
  const caller = yield* identify(app, request);
  if (caller.kind !== "agent") return yield* Effect.fail(new Unauthenticated());
  // A key of an agent names no run here.
  if (caller.runId === null) return yield* Effect.fail(new RunEnded());
  return { runId: caller.runId, answer: app.repositories.answerGit, isKeep: false };
});

/** Git sends a token as the password of a user; programs may send it as a bearer. */
const withBearer = (request: HttpRequest): HttpRequest => {
  const { cookie: _, authorization = "", ...headers } = request.headers;
  const basic = /^Basic +(\S+) *$/i.exec(authorization)?.[1];
  const pair = basic === undefined ? null : Buffer.from(basic, "base64").toString();
  const bearer = pair === null ? authorization : `Bearer ${pair.slice(pair.indexOf(":") + 1)}`;
  return { ...request, headers: bearer === "" ? headers : { ...headers, authorization: bearer } };
};

/** The requests in progress of each run. */
export class GitRequests {
  readonly #ofRun = new Map<string, number>();

  /** Returns false where the run has as many as it may. */
  enter(runId: string): boolean {
    const now = this.#ofRun.get(runId) ?? 0;
    if (now >= ofOneRun) return false;
    this.#ofRun.set(runId, now + 1);
    return true;
  }

  leave(runId: string): void {
    const now = (this.#ofRun.get(runId) ?? 1) - 1;
    if (now === 0) this.#ofRun.delete(runId);
    else this.#ofRun.set(runId, now);
  }
}

/**
 * Passes the body of a push on, and counts it before git has its end, also one that breaks off. Git asks with four bytes
 * whether it may send a large one: that is none.
 */
async function* counted(app: App, runId: RunId, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    if (bytes > 4) await Effect.runPromise(app.repositories.countPush({ runId, bytes }));
  }
}

/** Answers git of a run: streamed both ways, with the token of the run. Refusals are text for the run's user of git. */
export const answerGit = (app: App, requests: GitRequests, request: HttpRequest): Effect.Effect<HttpAnswer> =>
  exchange(app, requests, request).pipe(Effect.catch((refusal) => Effect.succeed(refused(refusal))));

const exchange = Effect.fnUntraced(function* (app: App, requests: GitRequests, request: HttpRequest) {
  const { runId, answer: ask, isKeep } = yield* askerOf(app, withBearer(request));
  const [, repositoryId = "", store = "shared", what = ""] = path.exec(request.path) ?? [];
  if (!isUuid(repositoryId)) return yield* Effect.fail(new RepositoryNotFound());
  const isStart = what === "info/refs";
  const service = isStart ? new URLSearchParams(request.query).get("service") : what;
  if (service !== "git-upload-pack" && service !== "git-receive-pack")
    return text(403, "Only git's smart protocol is spoken here.");
  if (request.method !== (isStart ? "GET" : "POST"))
    return text(405, "Not for this method.", { allow: isStart ? "GET" : "POST" });
  if (!isStart && request.headers["content-type"] !== `application/x-${service}-request`)
    return text(415, "Not a request of git.");
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (!/^(?:identity|x-gzip|gzip)$/.test(encoding)) return text(415, "Not an encoding of git.");
  if (!requests.enter(runId)) return text(429, "The run has too many requests in progress.");
  const isCounted = service === "git-receive-pack" && !isStart && !isKeep;
  const body = isStart ? Readable.from([]) : request.streamBody(bodyMaxBytes);
  const answer = yield* ask({
    repositoryId: repositoryId.toLowerCase() as RepositoryId,
    runId,
    store: store as "shared" | "kept",
    service: service as GitService,
    isStart,
    protocol: request.headers["git-protocol"] ?? null,
    isGzip: encoding !== "identity",
    body: isCounted ? counted(app, runId, body) : body,
    aborted: request.aborted,
  }).pipe(Effect.onError(() => Effect.sync(() => requests.leave(runId))));
  const headers = {
    "content-type": answer.contentType,
    "cache-control": "no-cache, max-age=0, must-revalidate",
  };
  if (typeof answer.body === "string") {
    requests.leave(runId);
    return { status: answer.status, headers, body: answer.body };
  }
  const sent = Readable.from(answer.body, { objectMode: false }).on("error", () => {
    // The connection ends without the end of the answer.
  });
  sent.once("close", () => requests.leave(runId));
  return { status: answer.status, headers, body: sent };
});
