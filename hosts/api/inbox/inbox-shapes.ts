import { z } from "zod";
import { inboxActions, inboxKindNames, inboxSubjects } from "../../../core/model/inbox/inbox-kind.ts";
import { Possible } from "../endpoint/caller-may.ts";
import { Timestamp } from "../endpoint/values.ts";

const id = z.string();

export const InboxEntryShape = z.object({
  id: id.describe("`<kind>:<id of the subject>`."),
  kind: z.enum(inboxKindNames),
  companyId: id.nullable().describe("null: an entry of the whole instance."),
  companyName: z.string().nullable(),
  subject: z
    .object({ type: z.enum(inboxSubjects), id, title: z.string() })
    .describe("What the entry is about."),
  issue: z.object({ id, identifier: z.string(), title: z.string() }).nullable(),
  agent: z.object({ id, name: z.string() }).nullable(),
  reason: z.string().describe("Why it needs a person, as a sentence."),
  actions: z.array(z.enum(inboxActions)).readonly().describe("What you can do about it, most likely first."),
  callerMay: z
    .partialRecord(z.enum(inboxActions), Possible)
    .describe("The actions that such an entry has; if you may not, why the service would refuse."),
  dismissible: z.boolean().describe("Whether it can be dismissed until it changes."),
  waitingSince: Timestamp,
  payloadRevision: z
    .int()
    .nullable()
    .describe("Of an approval: send it with the decision, which is about this payload. null: no approval."),
  version: z.string().describe("Send it with a dismissal: the entry comes back when it changes."),
});

export const InboxCountShape = z.object({
  companyId: id.nullable().describe("null: the instance."),
  waiting: z.int(),
  news: z.int().describe("How many of them tell what happened and ask for nothing."),
});
