import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/model/access/caller.ts";
import { IssueNotFound } from "../../../core/model/issues/issue.ts";
import { NothingCommitted, NothingToMerge } from "../../../core/model/repositories/merge.ts";
import { BranchTaken, PullRequestsUnavailable } from "../../../core/model/repositories/pull-request.ts";
import { RepositoryNotFound, RepositoryUnusable } from "../../../core/model/repositories/repository.ts";
import { NotAllowed, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { PullRequestId, RepositoryId } from "../../../core/model/shared/ids.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { reference, Text, upTo } from "../endpoint/values.ts";
import { PullRequestShape } from "./pull-request-shapes.ts";

/** Pull requests of issues at the hosts of repositories. */
export const pullRequests = {
  pullRequests: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/pull-requests",
    summary: "List the pull requests of an issue",
    description: "Newest first, as each was polled last.",
    access: inCompanyOf("issue", "viewer"),
    returns: z.array(PullRequestShape).readonly(),
    run: ({ views }, { issueId }) => views.planning.pullRequests(issueId),
  }),
  openPullRequest: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/pull-requests",
    summary: "Open a pull request of an issue's work at the host",
    description:
      "Of a repository with a hostKind. Pushes the issue's branch and opens one, or brings the open one up to date: repeating it opens no second. Later work is pushed automatically. Checks that fail, and words of people who may write to the repository, come back as comments on the issue and wake its agent, at most 10 times until a person acts. An agent needs a run and a grant of `code:merge`.",
    access: acting("issue", "merge"),
    body: z.strictObject({
      repositoryId: reference<RepositoryId>()
        .optional()
        .describe("Needed where the issue has work in several repositories."),
      title: upTo(250).min(1).optional().describe("Default: the identifier and the title of the issue."),
      body: Text.optional().describe("Markdown."),
    }),
    returns: PullRequestShape,
    failures: [
      BranchTaken,
      IssueNotFound,
      NotAllowed,
      NothingCommitted,
      NothingToMerge,
      PullRequestsUnavailable,
      RepositoryNotFound,
      RepositoryUnusable,
      RunIdRequired,
      ValidationFailed,
    ],
    run: ({ repositories }, input, { by, newId }) =>
      repositories
        .openPullRequest({ ...input, id: newId<PullRequestId>(), by })
        .pipe(
          Effect.map(
            ({
              companyId: _,
              body: __,
              baseCommit: ___,
              wakes: ____,
              by: _____,
              changedAt: ______,
              pollAt: _______,
              ...shown
            }) => shown,
          ),
        ),
  }),
};
