import { z } from "zod";
import { leftOutReasons } from "../../../core/model/workspaces/run-work.ts";
import { commandKinds } from "../../../core/model/workspaces/workspace-command.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

const Kept = z.object({
  head: z.string().describe("HEAD at the end of the run."),
  isClean: z.boolean().describe("All files were in that commit."),
  branch: z.string().nullable().describe("The ref that was checked out."),
  state: z.string().nullable().describe("The operation that git was in, such as rebase-merge."),
  leftOut: z
    .array(z.object({ path: z.string(), reason: z.enum(leftOutReasons) }))
    .readonly()
    .describe("Files that are not kept."),
  keptAt: Timestamp,
});

export const IssueWorkspaceShape = z.object({
  id,
  companyId: id,
  issueId: id,
  issueIdentifier: z.string(),
  issueTitle: z.string(),
  agentId: id
    .nullable()
    .describe("null: the issue's own, whose work is published; otherwise of a second agent on the issue."),
  runId: id.describe("The run that has it, or had it last."),
  status: z
    .enum(["in_use", "unkept", "kept", "removing", "removed"])
    .describe(
      "unkept: the work of its last run is only in the folder; removing: archive commands run before the folder goes, or an engine deletes it; removed: there is no folder.",
    ),
  problem: z.string().nullable().describe("Why the work of its last run is not kept."),
  host: z.string().nullable().describe("The machine with its disk."),
  firstPort: z
    .number()
    .int()
    .nullable()
    .describe("The first of its ten ports (SERVICE_PORT_BASE); null: it has none."),
  bytes: z.number().int().nullable().describe("Of its folder, after its last run; null: not known."),
  usedAt: Timestamp,
  createdAt: Timestamp,
  callerMay: CallerMayShape("workspace"),
  stays: z
    .object({
      code: z.enum(["no_folder", "in_use", "unkept", "left_out", "unfinished"]),
      message: z.string(),
    })
    .nullable()
    .describe("Why it is not removed on request; null: it may be."),
  repositories: z
    .array(
      z.object({
        repositoryId: id,
        url: z.string(),
        branch: z.string(),
        baseBranch: z.string(),
        head: z.string().nullable().describe("The issue's commit; null: none yet."),
        publishedAt: when,
        mergedAt: when,
        givenUpAt: when,
        kept: Kept.nullable().describe("The work of its last run; null: nothing is kept of it."),
      }),
    )
    .readonly(),
});

export const WorkspaceCommandShape = z.object({
  id,
  treeId: id.describe("The workspace."),
  repositoryId: id,
  runId: id.nullable().describe("The run that it prepared; null: the workspace was removed."),
  kind: z.enum(commandKinds),
  command: z.string(),
  exitCode: z.number().int().nullable().describe("null: it was ended."),
  problem: z.string().nullable().describe("Why it counts as failed; null: it succeeded."),
  output: z.string().describe("The end of what it printed; values of secrets are hidden."),
  durationMs: z.number().int(),
  endedAt: Timestamp,
});
