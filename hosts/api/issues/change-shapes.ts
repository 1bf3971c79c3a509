import { z } from "zod";
import { mergeMethods } from "../../../core/model/repositories/merge.ts";
import { hostKinds } from "../../../core/model/repositories/repository.ts";
import { id, Timestamp } from "../endpoint/values.ts";

const Commit = z.string().describe("A full object id.");

const ChangedFileShape = z.object({
  status: z.enum(["added", "modified", "deleted", "renamed", "copied", "type_changed"]),
  path: z.string().describe("As git has it; it may hold any character but NUL."),
  oldPath: z.string().nullable().describe("Of a renamed or copied file."),
  oldMode: z.string(),
  newMode: z.string(),
  added: z
    .number()
    .nullable()
    .describe(
      "Lines; null: a binary or very large file, or one that was not counted because too many differ.",
    ),
  removed: z.number().nullable(),
});

const ChangedCommitShape = z.object({
  commit: Commit,
  parents: z.array(z.string()).readonly(),
  author: z.string(),
  authorEmail: z.string(),
  authoredAt: Timestamp,
  message: z.string(),
});

export const IssueChangesShape = z.object({
  repositoryId: id,
  url: z.string(),
  branch: z.string(),
  defaultBranch: z.string(),
  hostKind: z.enum(hostKinds).nullable().describe("Where pull requests are opened; null: nowhere."),
  publishedAt: Timestamp.nullable(),
  mergedAt: Timestamp.nullable(),
  mergeCommit: Commit.nullable(),
  lastMerge: z
    .object({
      commit: Commit.describe("In the default branch."),
      at: Timestamp,
      commits: z.number().nullable().describe("How many commits it merged; null: no longer known."),
    })
    .nullable()
    .describe("The newest merge, also where the issue has new work since; null: none."),
  uncommitted: z
    .array(z.string())
    .readonly()
    .describe("Paths that its newest run left uncommitted, at most 100."),
  base: Commit.nullable().describe("The merge base with the default branch, as it was fetched last."),
  head: Commit,
  commits: z.array(ChangedCommitShape).readonly().describe("Newest first, at most 500."),
  files: z.array(ChangedFileShape).readonly().describe("At most 5,000."),
  isCut: z.boolean().describe("More files differ than are listed."),
  conflicts: z
    .object({ files: z.array(z.string()).readonly(), messages: z.string() })
    .nullable()
    .describe("With the default branch; null: none, or it is merged."),
  problem: z.string().nullable().describe("Why the rest is not known; null: it is."),
});

export const RunChangesShape = z.object({
  repositoryId: id,
  url: z.string(),
  base: Commit.nullable().describe("All files with which the run began; null: not known."),
  head: Commit.describe("All files that it left, committed or not."),
  isCommitted: z.boolean().describe("It left nothing uncommitted."),
  commits: z.array(ChangedCommitShape).readonly().describe("Newest first, at most 500."),
  files: z.array(ChangedFileShape).readonly().describe("At most 5,000."),
  isCut: z.boolean().describe("More files differ than are listed."),
  problem: z.string().nullable().describe("Why the rest is not known; null: it is."),
});

export const MergeShape = z.object({
  id,
  issueId: id,
  repositoryId: id,
  method: z.enum(mergeMethods),
  fromCommit: Commit.describe("The head of the issue's branch."),
  ontoCommit: Commit.nullable().describe("The head of the default branch before."),
  commit: Commit.describe("What the default branch has now."),
  rawLfsFiles: z
    .object({
      files: z.array(z.string()).readonly().describe("Their paths, at most 20."),
      count: z.number(),
      isCut: z.boolean().describe("Not all files of the merge were looked at."),
    })
    .optional()
    .describe("Files that .gitattributes gives to Git LFS and that are no pointers to it; missing: none."),
  createdAt: Timestamp,
});
