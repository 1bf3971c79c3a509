import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/model/access/caller.ts";
import { UserNotAssignable } from "../../../core/model/access/person.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { type GateCheck, gateCheckStates } from "../../../core/model/issues/gates/gate-check.ts";
import { ReviewOutdated, reviewVerdicts } from "../../../core/model/issues/gates/review.ts";
import { IssueHeldByAnother, IssueNotFound, IssueNotYours } from "../../../core/model/issues/issue.ts";
import { ChangesUnavailable } from "../../../core/model/repositories/issue-changes.ts";
import { RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import { NotAllowed, ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { CommentId } from "../../../core/model/shared/ids.ts";
import type { IssueGates } from "../../../core/work/issues/gates/show-gates.ts";
import { GateNotRunnable } from "../../../core/work/projects/checked-gates.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { id, Text, Timestamp, upTo } from "../endpoint/values.ts";
import { AskedGates, NamedGateShape } from "../projects/gate-shapes.ts";
import { SeveralComments } from "./comments.ts";

const Commit = upTo(64).regex(/^[0-9a-f]{40,64}$/, "must be the id of a commit");

const shownCheck = ({ commits, state, problem, log, durationMs, startedAt, finishedAt }: GateCheck) => ({
  commits,
  state,
  problem,
  log,
  durationMs,
  startedAt,
  finishedAt,
});

const IssueGatesShape = z.object({
  isOwn: z.boolean().describe("They are the issue's own; false: those of its project."),
  gates: z
    .array(
      NamedGateShape.extend({
        reason: z.string().nullable().describe("Why it is not met, a sentence; null: it is met."),
        check: z
          .object({
            commits: z.array(z.string()).readonly(),
            state: z.enum(gateCheckStates),
            problem: z.string().nullable(),
            log: z.string().describe("The end of its output, at most 64 KiB."),
            durationMs: z.number().nullable(),
            startedAt: Timestamp,
            finishedAt: Timestamp.nullable(),
          })
          .nullable()
          .describe("The last run of its command; null: none."),
      }),
    )
    .readonly(),
  commits: z
    .array(z.object({ repositoryId: id, branch: z.string(), commit: z.string() }))
    .readonly()
    .describe("The heads of its branches, which a review is about."),
});

const shown = ({ gates, ...rest }: IssueGates) => ({
  ...rest,
  gates: gates.map(({ check, isPending: _, ...gate }) => ({
    ...gate,
    check: check === null ? null : shownCheck(check),
  })),
});

/** The gates of an issue, as it meets them, and its reviews. */
export const issueGates = {
  gates: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/gates",
    summary: "Show which of its gates an issue meets",
    description:
      "Judged by the work that the last run left: what a run does counts when it has ended. An issue becomes done only when each is met. They are its own, or those of its project.",
    access: inCompanyOf("issue", "viewer"),
    returns: IssueGatesShape,
    failures: [IssueNotFound],
    run: ({ issues }, input) => issues.gates(input).pipe(Effect.map(shown)),
  }),
  setGates: endpoint({
    method: "PUT",
    path: "/api/issues/{issueId}/gates",
    summary: "Give an issue gates of its own",
    description:
      "They count in place of those of its project, also when these change or the issue moves; an empty list: it has none. null: those of its project count again. Agents may not. An issue that is done stays so.",
    access: acting("issue", "manageGates"),
    body: z.strictObject({ gates: AskedGates.nullable().describe("As those of a project.") }),
    returns: IssueGatesShape,
    failures: [
      AgentNotAssignable,
      GateNotRunnable,
      IssueNotFound,
      ReferenceNotFound,
      UserNotAssignable,
      ValidationFailed,
    ],
    run: ({ issues }, input, { by }) =>
      issues.setGates({ ...input, by }).pipe(Effect.andThen(issues.gates(input)), Effect.map(shown)),
  }),
  rerunGates: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/gates/rerun",
    summary: "Run the failed commands of an issue's gates again",
    description: "At the same commits, such as after a failure that was not the work's.",
    access: acting("issue", "update"),
    returns: z.object({ reruns: z.number().describe("How many run again.") }),
    failures: [IssueHeldByAnother, IssueNotFound, IssueNotYours, RunIdRequired],
    run: ({ issues }, input, { by }) => issues.rerunGates({ ...input, by }),
  }),
  review: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/reviews",
    summary: "Review an issue as the one that a gate names",
    description:
      "In place of an earlier review of yours. It holds for these commits alone: after another the gate waits for a new one. An agent needs a run, and does not review its own work. Verdict and comments are stored together or not at all. A request for changes is also a comment with the note, and wakes the assigned agent once.",
    access: acting("issue", "review"),
    body: z.strictObject({
      verdict: z.enum(reviewVerdicts),
      commits: z
        .array(Commit)
        .max(20)
        .describe("The commits that you looked at: all of `commits` in the gates; empty where it has none."),
      note: Text.nullable().optional().describe("What should change."),
      comments: SeveralComments.optional().describe(
        "Comments on lines of its changes; one without a path is about the issue.",
      ),
    }),
    returns: z.object({
      issueId: id,
      verdict: z.enum(reviewVerdicts),
      note: z.string().nullable(),
      commits: z.array(z.string()).readonly(),
      createdAt: Timestamp,
    }),
    failures: [
      ChangesUnavailable,
      IssueNotFound,
      NotAllowed,
      RepositoryNotFound,
      ReviewOutdated,
      RunIdRequired,
      ValidationFailed,
    ],
    // An approval without comments can be carried out again.
    creates: { again: ({ views }, id) => views.issues.comment(id as CommentId), keeps: () => true },
    run: ({ issues }, input, { by, newId }) =>
      issues
        .review({ ...input, firstCommentId: newId<CommentId>(), by })
        .pipe(Effect.map(({ agentId: _, userId: __, companyId: ___, ...review }) => review)),
  }),
};
