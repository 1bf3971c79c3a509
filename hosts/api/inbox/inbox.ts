import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  InboxEntryChanged,
  InboxEntryNotDismissible,
  InboxEntryNotFound,
} from "../../../core/model/inbox/inbox-entry.ts";
import { inboxKindNames } from "../../../core/model/inbox/inbox-kind.ts";
import { boardInCompany, boardOnly } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Done, Flag, listOf, upTo } from "../endpoint/values.ts";
import { InboxCountShape, InboxEntryShape } from "./inbox-shapes.ts";

const limits = { default: 100, max: 500 };

const query = {
  kind: listOf(inboxKindNames).optional().describe("approval, failed_run, …; several with commas."),
  dismissed: Flag.optional().describe("true: those that you have dismissed, as long as they do not change."),
};

const order =
  "Oldest first. Lists only entries on which you may act, and news of issues that you watch. An entry disappears when it is resolved or seen.";

export const inbox = {
  list: pageEndpoint({
    path: "/api/inbox",
    summary: "List your inbox entries of all companies",
    description: `${order} Entries of the whole instance (for instance admins) come first.`,
    access: boardOnly,
    query,
    row: InboxEntryShape,
    limits,
    run: ({ inbox }, { kind, ...rest }, { caller }) =>
      inbox.show({ ...rest, kinds: kind, caller, companyId: null }),
  }),
  counts: endpoint({
    method: "GET",
    path: "/api/inbox/counts",
    summary: "Count your inbox entries by company",
    description: "Companies without entries are omitted.",
    access: boardOnly,
    returns: z.array(InboxCountShape).readonly(),
    run: ({ inbox }, _input, { caller }) => inbox.count({ caller, companyId: null }),
  }),
  ofCompany: pageEndpoint({
    path: "/api/companies/{companyId}/inbox",
    summary: "List your inbox entries of a company",
    description: order,
    access: boardInCompany("viewer"),
    query,
    row: InboxEntryShape,
    limits,
    run: ({ inbox }, { kind, ...rest }, { caller }) => inbox.show({ ...rest, kinds: kind, caller }),
  }),
  dismiss: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/inbox/{entryId}/dismissal",
    summary: "Dismiss an inbox entry until it changes",
    description:
      "Only for you: others still see it. Approvals, interactions, reviews, stopped budgets and held runs cannot be dismissed.",
    access: boardInCompany("viewer"),
    body: z.strictObject({ version: upTo(200).describe("The version of the entry that you read.") }),
    returns: Done,
    failures: [InboxEntryNotFound, InboxEntryNotDismissible, InboxEntryChanged],
    run: ({ inbox }, input, { caller }) =>
      Effect.as(inbox.dismiss({ ...input, caller }), { ok: true as const }),
  }),
  restore: endpoint({
    method: "DELETE",
    path: "/api/companies/{companyId}/inbox/{entryId}/dismissal",
    summary: "Restore a dismissed inbox entry",
    access: boardInCompany("viewer"),
    returns: Done,
    run: ({ inbox }, input, { caller }) =>
      Effect.as(inbox.restore({ ...input, caller }), { ok: true as const }),
  }),
};
