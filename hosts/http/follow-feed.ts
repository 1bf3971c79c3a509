import * as Effect from "effect/Effect";
import type { Caller } from "../../core/model/access/caller.ts";
import { refusal } from "../../core/model/shared/failure.ts";
import type { EventFeed } from "../../ports/event-feed.ts";
import type { App } from "../api/endpoint/app.ts";
import { dispatch } from "../api/endpoint/dispatch.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { type Followers, TooManyStreams } from "./followers.ts";
import { identify, nameOf } from "./identify.ts";
import type { HttpRequest } from "./listener.ts";
import { parseQuery } from "./read-request.ts";
import type { Match } from "./router.ts";
import type { StreamChecks } from "./stream-checks.ts";

interface FeedHost {
  readonly followers: Followers;
  readonly checks: StreamChecks;
  readonly stopping: AbortSignal;
}

interface FollowRequest {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly match: Match;
  readonly request: HttpRequest;
}

class ScopeChanged extends refusal("scope_changed", "forbidden", "Your access to this stream has changed.") {}

/** Follows a stream; ends it when access is lost or its set of companies changes. */
export const followFeed = Effect.fnUntraced(function* (
  app: App,
  { followers, checks, stopping }: FeedHost,
  { name, endpoint, match, request }: FollowRequest,
  { caller, feed }: { readonly caller: Caller; readonly feed: EventFeed },
) {
  const query = yield* parseQuery(request.query);
  const stillAllowed = Effect.gen(function* () {
    const now = yield* identify(app, request);
    const unread = { params: match.params, query, body: Effect.succeed(undefined), idempotencyKey: null };
    const { feed: feedNow } = yield* dispatch(app, name, endpoint, now, unread);
    if (String(feedNow?.companyIds) !== String(feed.companyIds)) yield* Effect.fail(new ScopeChanged());
  });
  const onEnd = followers.add(nameOf(caller), match.params.companyId ?? "all of a caller");
  if (onEnd === null) return yield* Effect.fail(new TooManyStreams({ retryAfterSec: 10 }));
  const { authorization, cookie, "x-service-run-id": runId } = request.headers;
  const group = JSON.stringify([authorization, cookie, runId, request.path, request.query]);
  const watch = (end: () => void) => checks.add(group, stillAllowed, end);
  return yield* Effect.promise(() => eventStream(request, feed, { watch, stopping, onEnd }));
});
