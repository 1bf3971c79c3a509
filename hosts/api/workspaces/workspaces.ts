import * as Effect from "effect/Effect";
import { z } from "zod";
import type { RunId, WorkspaceId } from "../../../core/model/shared/ids.ts";
import {
  WorkNotCaptured,
  WorkspaceNotFound,
  WorkspaceStays,
} from "../../../core/model/workspaces/removal.ts";
import { acting, inCompany, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { IssueReference, ProjectReference, reference } from "../endpoint/values.ts";
import { IssueWorkspaceShape, WorkspaceCommandShape } from "./workspace-shapes.ts";

/** Workspaces of issues, in projects with repositories of mode issue. */
export const workspaces = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/workspaces",
    summary: "List the workspaces of issues",
    description:
      "Newest first. The workspace of an issue is a copy: what its runs left is kept by the service.",
    access: inCompany("viewer"),
    query: { issueId: IssueReference.optional(), projectId: ProjectReference.optional() },
    row: IssueWorkspaceShape,
    limits: { default: 100, max: 500 },
    run: ({ issueWorkspaces }, { companyId, issueId, projectId, ...page }, { caller }) =>
      issueWorkspaces.list(companyId, { issueId, projectId }, page, caller),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/workspaces/{workspaceId}",
    summary: "Show the workspace of an issue",
    access: inCompanyOf("workspace", "viewer"),
    returns: IssueWorkspaceShape,
    failures: [WorkspaceNotFound],
    run: ({ issueWorkspaces }, { workspaceId }, { caller }) => issueWorkspaces.show(workspaceId, caller),
  }),
  commands: pageEndpoint({
    path: "/api/workspaces/{workspaceId}/commands",
    summary: "List the last commands of repositories in a workspace",
    description: "Newest first, with the end of what each has printed: at most 20 are kept.",
    access: inCompanyOf("workspace", "viewer"),
    row: WorkspaceCommandShape,
    limits: { default: 5, max: 200 },
    run: ({ views }, { workspaceId, ...page }) => views.issueWorkspaces.commands(workspaceId, page),
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/workspaces/{workspaceId}/restore",
    summary: "Let the issue's next run begin from kept work",
    description:
      "Its workspace is made again from that work, uncommitted files included, and the issue is no longer abandoned. What other runs left stays kept.",
    access: acting("workspace", "restore"),
    body: z.strictObject({
      runId: reference<RunId>().optional().describe("The run whose work it is; the newest by default."),
    }),
    returns: IssueWorkspaceShape,
    failures: [WorkNotCaptured, WorkspaceNotFound, WorkspaceStays],
    run: ({ issueWorkspaces }, { workspaceId, runId }, { by, caller }) =>
      issueWorkspaces
        .restore({ workspaceId: workspaceId, runId, by })
        .pipe(Effect.flatMap(({ id }) => issueWorkspaces.show(id, caller))),
  }),
  remove: endpoint({
    method: "POST",
    path: "/api/workspaces/{workspaceId}/remove",
    summary: "Remove the folder of an issue's workspace",
    description:
      "Only where no run works in it, its last work is kept, and that is merged, abandoned or whole in the issue's branch. The kept work stays; the issue's next run makes the workspace again. Archive commands of its repositories run after the answer, and an engine deletes its volume then: `status` is `removing` until that is over, and `/commands` has what the commands printed.",
    access: acting("workspace", "remove"),
    body: z.strictObject({
      abandon: z
        .boolean()
        .optional()
        .describe(
          "Give up what is in no branch, and accept what is not kept. Work that is not kept yet stays.",
        ),
    }),
    returns: IssueWorkspaceShape,
    failures: [WorkspaceNotFound, WorkspaceStays],
    run: ({ issueWorkspaces }, { workspaceId, abandon }, { by, caller }) =>
      issueWorkspaces
        .remove({ workspaceId: workspaceId as WorkspaceId, abandon, by })
        .pipe(Effect.flatMap(({ id }) => issueWorkspaces.show(id, caller))),
  }),
};
