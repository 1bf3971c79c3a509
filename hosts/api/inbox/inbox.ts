import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  InboxEntryChanged,
  InboxEntryNotDismissible,
  InboxEntryNotFound,
} from "../../../core/inbox/inbox-entry.ts";
import { boardInCompany, boardOnly } from "../endpoint/access.ts";
import { endpoint, pageEndpoint } from "../endpoint/endpoint.ts";
import { Done, upTo } from "../endpoint/values.ts";
import { InboxCountShape, InboxEntryShape } from "./inbox-shapes.ts";

const limits = { default: 100, max: 500 };

const order =
  "Oldest first. Only what you may act on is listed: a viewer's inbox is empty. An entry goes when somebody has dealt with it.";

export const inbox = {
  list: pageEndpoint({
    path: "/api/inbox",
    summary: "List what waits for you, over all your companies",
    description: `${order} What concerns the whole instance (instance admins) comes first.`,
    access: boardOnly,
    row: InboxEntryShape,
    limits,
    failures: [],
    run: ({ inbox }, page, { caller }) => inbox.show({ ...page, caller, companyId: null }),
  }),
  counts: endpoint({
    method: "GET",
    path: "/api/inbox/counts",
    summary: "Count what waits for you, by company",
    description: "Companies where nothing waits for you are left out.",
    access: boardOnly,
    returns: z.array(InboxCountShape).readonly(),
    failures: [],
    run: ({ inbox }, _input, { caller }) => inbox.count({ caller, companyId: null }),
  }),
  ofCompany: pageEndpoint({
    path: "/api/companies/{companyId}/inbox",
    summary: "List what waits for you in a company",
    description: order,
    access: boardInCompany("viewer"),
    row: InboxEntryShape,
    limits,
    failures: [],
    run: ({ inbox }, input, { caller }) => inbox.show({ ...input, caller }),
  }),
  dismiss: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/inbox/{entryId}/dismissal",
    summary: "Put an entry of your inbox aside until it changes",
    description:
      "For you alone: others go on seeing it. What somebody waits for (approvals, cards, stopped budgets, held runs) cannot be put aside.",
    access: boardInCompany("operator"),
    body: z.strictObject({ version: upTo(200).describe("The entry's, as you saw it.") }),
    returns: Done,
    failures: [InboxEntryNotFound, InboxEntryNotDismissible, InboxEntryChanged],
    run: ({ inbox }, input, { caller }) =>
      Effect.as(inbox.dismiss({ ...input, caller }), { ok: true as const }),
  }),
  restore: endpoint({
    method: "DELETE",
    path: "/api/companies/{companyId}/inbox/{entryId}/dismissal",
    summary: "Bring an entry back that you put aside",
    access: boardInCompany("operator"),
    returns: Done,
    failures: [],
    run: ({ inbox }, input, { caller }) =>
      Effect.as(inbox.restore({ ...input, caller }), { ok: true as const }),
  }),
};
