import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import type { AnswerGit as AnswerGitOfRun } from "../../core/code/repositories/answer-git.ts";
import { RunEnded, Unauthenticated } from "../../core/model/access/caller.ts";
import { RepositoryNotFound, type RepositoryUnusable } from "../../core/model/repositories/repository.ts";
import type { Refusal } from "../../core/model/shared/failure.ts";
import { isUuid, type RepositoryId, type RunId } from "../../core/model/shared/ids.ts";
import { type GitAnswer, type GitService, PushRefused } from "../../ports/code-stores.ts";
import type { App } from "../api/endpoint/app.ts";
import { statusOf } from "../api/endpoint/statuses.ts";
import { identify } from "./identify.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";

/** Below it are the repositories of runs: `/git/<repositoryId>/shared` to read, `/git/<repositoryId>/kept` to push. */
export const gitPath = "/git/";

/** The largest body, as it is sent. */
const bodyMaxBytes = 600 * 2 ** 20;
/** How many requests of one caller are answered at the same time. */
const ofOne = 4;

const path = /^\/git\/([^/]+)\/(shared|kept)\/(info\/refs|git-upload-pack|git-receive-pack)$/;

const text = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  body: `${message}\n`,
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

/** The caller: a run, or a step of the service itself, which captures a run's work or checks out a commit. */
interface Asker {
  /** Those with the same one have a limit in common. */
  readonly key: string;
  /** The run whose pushes count, and whether it pushes itself; null: none does. */
  readonly pusher: { readonly runId: RunId; readonly isRun: boolean } | null;
  readonly answer: (
    exchange: Omit<AnswerGitOfRun, "runId">,
  ) => Effect.Effect<GitAnswer, RepositoryNotFound | RepositoryUnusable>;
}

const askerOf = Effect.fnUntraced(function* (app: App, request: HttpRequest) {
  const [, bearer = ""] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const { answerCheckout, answerCapture, answerGit } = app.repositories;
  if (bearer !== "") {
    const keep = yield* app.credentials.readCaptureToken(bearer);
    if (keep !== null) {
      const { runId, pushesBefore } = keep;
      return {
        key: runId,
        pusher: { runId, isRun: false },
        answer: (asked) => answerCapture({ ...asked, runId, pushesBefore }),
      } satisfies Asker;
    }
    const claims = yield* app.credentials.readCheckoutToken(bearer);
    if (claims !== null)
      return {
        key: bearer,
        pusher: null,
        answer: (asked) => answerCheckout({ ...asked, claims }),
      } satisfies Asker;
  }
  const caller = yield* identify(app, request);
  if (caller.kind !== "agent") return yield* Effect.fail(new Unauthenticated());
  // A key of an agent names no run here.
  if (caller.runId === null) return yield* Effect.fail(new RunEnded());
  const { runId } = caller;
  return {
    key: runId,
    pusher: { runId, isRun: true },
    answer: (asked) => answerGit({ ...asked, runId }),
  } satisfies Asker;
});

/** Git sends a token as the password of a user; programs may send it as a bearer. */
const withBearer = (request: HttpRequest): HttpRequest => {
  const { cookie: _, authorization = "", ...headers } = request.headers;
  const basic = /^Basic +(\S+) *$/i.exec(authorization)?.[1];
  const pair = basic === undefined ? null : Buffer.from(basic, "base64").toString();
  const bearer = pair === null ? authorization : `Bearer ${pair.slice(pair.indexOf(":") + 1)}`;
  return { ...request, headers: bearer === "" ? headers : { ...headers, authorization: bearer } };
};

/** The requests in progress of each caller. */
export class GitRequests {
  readonly #of = new Map<string, number>();

  /** Returns false where the caller has as many as it may. */
  enter(key: string): boolean {
    const now = this.#of.get(key) ?? 0;
    if (now >= ofOne) return false;
    this.#of.set(key, now + 1);
    return true;
  }

  leave(key: string): void {
    const now = (this.#of.get(key) ?? 1) - 1;
    if (now === 0) this.#of.delete(key);
    else this.#of.set(key, now);
  }
}

/**
 * Passes the body of a push on, and counts it before git has its last byte, also one that breaks off. Where the run may write no
 * more by then, git never gets that byte, and the push has no effect. Git asks with four bytes whether it may send a large
 * one: that is none.
 */
async function* counted(
  app: App,
  { runId, isRun }: NonNullable<Asker["pusher"]>,
  body: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let bytes = 0;
  let last: Uint8Array = Buffer.alloc(0);
  let mayWrite = true;
  try {
    for await (const chunk of body) {
      if (chunk.length === 0) continue;
      if (last.length > 0) yield last;
      bytes += chunk.length;
      if (chunk.length > 1) yield chunk.subarray(0, -1);
      last = chunk.subarray(-1);
    }
  } finally {
    if (bytes > 4) mayWrite = await Effect.runPromise(app.repositories.countPush({ runId, bytes }));
  }
  if (isRun && !mayWrite) throw new PushRefused("This run can no longer push.");
  if (last.length > 0) yield last;
}

/** Answers git of a run: streamed both ways, with the token of the run. Refusals are text for the run's user of git. */
export const answerGit = (app: App, requests: GitRequests, request: HttpRequest): Effect.Effect<HttpAnswer> =>
  exchange(app, requests, request).pipe(Effect.catch((refusal) => Effect.succeed(refused(refusal))));

const exchange = Effect.fnUntraced(function* (app: App, requests: GitRequests, request: HttpRequest) {
  const { key, pusher, answer: ask }: Asker = yield* askerOf(app, withBearer(request));
  const [, repositoryId = "", store = "shared", what = ""] = path.exec(request.path) ?? [];
  if (!isUuid(repositoryId)) return yield* Effect.fail(new RepositoryNotFound());
  const isStart = what === "info/refs";
  const service = isStart ? new URLSearchParams(request.query).get("service") : what;
  if (service !== "git-upload-pack" && service !== "git-receive-pack")
    return text(403, "Only git's smart protocol is supported.");
  if (request.method !== (isStart ? "GET" : "POST"))
    return text(405, "Method not supported.", { allow: isStart ? "GET" : "POST" });
  if (!isStart && request.headers["content-type"] !== `application/x-${service}-request`)
    return text(415, "Not a git request.");
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (!/^(?:identity|x-gzip|gzip)$/.test(encoding)) return text(415, "Unsupported content encoding.");
  if (!requests.enter(key)) return text(429, "This run has too many requests in progress.");
  const isPush = service === "git-receive-pack" && !isStart;
  const body = isStart ? Readable.from([]) : request.streamBody(bodyMaxBytes);
  const answer = yield* ask({
    repositoryId: repositoryId.toLowerCase() as RepositoryId,
    store: store as "shared" | "kept",
    service: service as GitService,
    isStart,
    protocol: request.headers["git-protocol"] ?? null,
    isGzip: encoding !== "identity",
    body: isPush && pusher !== null ? counted(app, pusher, body) : body,
    aborted: request.departure.signal,
  }).pipe(Effect.onError(() => Effect.sync(() => requests.leave(key))));
  const headers = {
    "content-type": answer.contentType,
    "cache-control": "no-cache, max-age=0, must-revalidate",
  };
  if (typeof answer.body === "string") {
    requests.leave(key);
    return { status: answer.status, headers, body: answer.body };
  }
  const sent = Readable.from(answer.body, { objectMode: false }).on("error", () => {
    // The connection ends without the end of the answer.
  });
  sent.once("close", () => requests.leave(key));
  return { status: answer.status, headers, body: sent };
});
