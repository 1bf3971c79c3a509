import { inCompany, inCompanyOf } from "../endpoint/access.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Moment, reference, ShortText } from "../endpoint/values.ts";
import { ActivityShape } from "./activity-shapes.ts";

export const activity = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/activity",
    summary: "List the activity of a company",
    description: "Newest first.",
    access: inCompany("viewer"),
    query: {
      entityType: ShortText.optional().describe("issue, agent, heartbeat_run, …"),
      entityId: reference().optional(),
      actorId: reference().optional().describe("An agent or a board user."),
      from: Moment.optional().describe("Written then or later."),
      to: Moment.optional().describe("Written before then."),
      q: ShortText.optional().describe("Words of what was recorded: names, titles, identifiers, comments."),
    },
    limits: { default: 100, max: 500 },
    row: ActivityShape,
    run: ({ views }, { limit, cursor, q, ...filter }) =>
      views.activity.list({ ...filter, query: q }, { limit, cursor }),
  }),
  ofIssue: pageEndpoint({
    path: "/api/issues/{issueId}/activity",
    summary: "List the activity of an issue",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: ActivityShape,
    run: ({ views }, { issueId, limit, cursor }, { companyId }) =>
      views.activity.list({ companyId, entityId: issueId }, { limit, cursor }),
  }),
};
