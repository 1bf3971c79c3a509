import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/access/caller.ts";
import { ReviewOutdated, reviewVerdicts } from "../../../core/issues/gates/review.ts";
import { IssueNotFound } from "../../../core/issues/issue.ts";
import { NotAllowed } from "../../../core/shared/failure.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { id, Text, Timestamp, upTo } from "../endpoint/values.ts";
import { NamedGateShape } from "../projects/gate-shapes.ts";

const Commit = upTo(64).regex(/^[0-9a-f]{40,64}$/, "must be the id of a commit");

/** The gates of an issue's project, as the issue meets them, and its reviews. */
export const issueGates = {
  gates: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/gates",
    summary: "Show which gates of its project an issue meets",
    description:
      "Judged by the work that the last run left: what a run does counts when it has ended. An issue becomes done only when each is met.",
    access: inCompanyOf("issue", "viewer"),
    returns: z.object({
      gates: z
        .array(
          NamedGateShape.extend({
            reason: z.string().nullable().describe("Why it is not met, a sentence; null: it is met."),
          }),
        )
        .readonly(),
      commits: z
        .array(z.object({ repositoryId: id, branch: z.string(), commit: z.string() }))
        .readonly()
        .describe("The heads of its branches, which a review is about."),
    }),
    failures: [IssueNotFound],
    run: ({ issues }, input) => issues.gates(input),
  }),
  review: endpoint({
    method: "PUT",
    path: "/api/issues/{issueId}/review",
    summary: "Review an issue as the one that a gate names",
    description:
      "In place of an earlier review of yours. It holds for these commits alone: after another the gate waits for a new one. An agent needs a run, and does not review its own work.",
    access: acting("issue", "review"),
    body: z.strictObject({
      verdict: z.enum(reviewVerdicts),
      commits: z
        .array(Commit)
        .max(20)
        .describe("The commits that you looked at: all of `commits` in the gates; empty where it has none."),
      note: Text.nullable().optional().describe("What should change."),
    }),
    returns: z.object({
      issueId: id,
      verdict: z.enum(reviewVerdicts),
      note: z.string().nullable(),
      commits: z.array(z.string()).readonly(),
      createdAt: Timestamp,
    }),
    failures: [IssueNotFound, NotAllowed, ReviewOutdated, RunIdRequired],
    run: ({ issues }, input, { by }) =>
      issues
        .review({ ...input, by })
        .pipe(Effect.map(({ agentId: _, userId: __, companyId: ___, ...review }) => review)),
  }),
};
