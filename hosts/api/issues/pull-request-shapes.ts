import { z } from "zod";
import { pullRequestStates } from "../../../core/model/repositories/pull-request.ts";
import { checkStates } from "../../../core/model/repositories/pull-request-at-host.ts";
import { id, Timestamp } from "../endpoint/values.ts";

export const PullRequestShape = z.object({
  id,
  issueId: id,
  repositoryId: id,
  branch: z.string(),
  intoBranch: z.string(),
  title: z.string(),
  state: z.enum(pullRequestStates),
  number: z.number().nullable().describe("At the host; null while it is opened."),
  url: z.string().nullable(),
  head: z.string().nullable().describe("What the service pushed last."),
  checks: z.enum(checkStates).describe("Of `checksCommit`. none: the host reports no check."),
  checksCommit: z.string().nullable(),
  failedChecks: z.array(z.string()).readonly(),
  handedOverAt: Timestamp.nullable().describe(
    "Since when it waits for a person: it has woken its agent too often.",
  ),
  problem: z.string().nullable().describe("Why the last poll failed, a sentence; null: it did not."),
  polledAt: Timestamp.nullable(),
  createdAt: Timestamp,
});
