import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunIdRequired } from "../../../core/model/access/caller.ts";
import { GatesUnmet } from "../../../core/model/issues/gates/judge-gates.ts";
import { IssueNotFound } from "../../../core/model/issues/issue.ts";
import { ChangesUnavailable, DiffTooLarge } from "../../../core/model/repositories/issue-changes.ts";
import {
  MergeConflicted,
  mergeMethods,
  NotFastForward,
  NothingCommitted,
  NothingToMerge,
  RepositoryBusy,
} from "../../../core/model/repositories/merge.ts";
import { RepositoryNotFound, RepositoryUnusable } from "../../../core/model/repositories/repository.ts";
import { NotAllowed, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { MergeId, RepositoryId } from "../../../core/model/shared/ids.ts";
import { acting, boardInCompanyOf, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { textEndpoint } from "../endpoint/text-endpoint.ts";
import { reference, upTo } from "../endpoint/values.ts";
import { IssueChangesShape, MergeShape, RunChangesShape } from "./change-shapes.ts";

const Path = upTo(5_000).min(1);

const DiffQuery = z.strictObject({
  repositoryId: reference<RepositoryId>().optional(),
  path: Path.optional().describe("Of one file alone."),
  oldPath: Path.optional().describe("Where that file was before, if it was renamed."),
});

/** The changes of an issue in the repositories of its project. */
export const changes = {
  changes: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/changes",
    summary: "Show the commits, files and conflicts of an issue",
    description:
      "For each repository in which it has work, compared with the default branch as the service fetched it last. The difference of the files is read by `diff`.",
    access: inCompanyOf("issue", "viewer"),
    returns: z.array(IssueChangesShape).readonly(),
    run: ({ repositories }, input) => repositories.changes(input),
  }),
  diff: textEndpoint({
    path: "/api/issues/{issueId}/diff",
    summary: "Show the difference that an issue makes",
    description:
      "In the format of `git diff`, at most 2 MiB. With several repositories each is listed below its address, unless one is named.",
    access: inCompanyOf("issue", "viewer"),
    query: DiffQuery,
    failures: [ChangesUnavailable, DiffTooLarge, RepositoryNotFound],
    run: ({ repositories }, input) => repositories.diff(input),
  }),
  merge: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/merge",
    summary: "Merge the work of an issue into the default branch at the host",
    description:
      "Its gates must be met. One merge at a time for each repository, made on what the host has then and pushed only if that has not changed. The commit of a merge or squash has the issue, the agent and the run as trailers. On a conflict the agent that has the issue is woken with both sides, and a done issue is opened again. An agent needs a run and a grant of `code:merge`.",
    access: acting("issue", "merge"),
    body: z.strictObject({
      method: z.enum(mergeMethods),
      repositoryId: reference<RepositoryId>()
        .optional()
        .describe("Needed where the issue has work in several repositories."),
      overrideGates: z
        .boolean()
        .optional()
        .describe("By the board: merge although gates of the issue are not met, which is logged."),
    }),
    returns: MergeShape,
    failures: [
      GatesUnmet,
      IssueNotFound,
      MergeConflicted,
      NotAllowed,
      NotFastForward,
      NothingCommitted,
      NothingToMerge,
      RepositoryBusy,
      RepositoryNotFound,
      RepositoryUnusable,
      RunIdRequired,
      ValidationFailed,
    ],
    run: ({ repositories }, input, { by, newId }) =>
      repositories
        .merge({ ...input, id: newId<MergeId>(), by })
        .pipe(Effect.map(({ by: _, companyId: __, state: ___, ...merged }) => merged)),
  }),
};

/** The changes of one run. */
export const runChanges = {
  changes: endpoint({
    method: "GET",
    path: "/api/heartbeat-runs/{runId}/changes",
    summary: "Show the commits and files that a run changed",
    description:
      "For each repository in which its work is kept: all files that it left, against those with which it began. For people only, because it includes files that were not committed.",
    access: boardInCompanyOf("run", "viewer"),
    returns: z.array(RunChangesShape).readonly(),
    run: ({ repositories }, input) => repositories.runChanges(input),
  }),
  diff: textEndpoint({
    path: "/api/heartbeat-runs/{runId}/diff",
    summary: "Show the difference that a run made",
    description:
      "In the format of `git diff`, at most 2 MiB. With several repositories each is listed below its address, unless one is named.",
    access: boardInCompanyOf("run", "viewer"),
    query: DiffQuery,
    failures: [ChangesUnavailable, DiffTooLarge, RepositoryNotFound],
    run: ({ repositories }, input) => repositories.diffRun(input),
  }),
};
