import * as Effect from "effect/Effect";
import { z } from "zod";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, PointInTime } from "../endpoint/values.ts";
import { WatcherShape } from "./watcher-shapes.ts";

export const watchers = {
  list: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/watchers",
    summary: "List the people who watch an issue",
    description: "By name.",
    access: inCompanyOf("issue", "viewer"),
    returns: z.array(WatcherShape).readonly(),
    run: ({ views }, { issueId }) => views.issues.watchers(issueId),
  }),
  watch: endpoint({
    method: "PUT",
    path: "/api/issues/{issueId}/watchers/me",
    summary: "Watch an issue, or note that you have seen what happened on it",
    description:
      "Your inbox shows the comments of others, and moves to in_review, blocked and done, until you have seen them. People automatically watch what they create, comment on or are assigned.",
    access: acting("issue", "watch"),
    body: z.strictObject({
      seenUntil: PointInTime.optional().describe(
        "What happened until then is not news to you; default: now.",
      ),
    }),
    returns: Done,
    run: ({ issues }, input, { caller, companyId }) =>
      issues.watch({ ...input, companyId, userId: caller.userId }).pipe(Effect.as({ ok: true as const })),
  }),
  unwatch: endpoint({
    method: "DELETE",
    path: "/api/issues/{issueId}/watchers/me",
    summary: "Stop watching an issue",
    access: acting("issue", "watch"),
    returns: Done,
    run: ({ issues }, { issueId }, { caller }) =>
      issues.unwatch({ issueId, userId: caller.userId }).pipe(Effect.as({ ok: true as const })),
  }),
};
