import type { IssueViews } from "../../../ports/views/issue-views.ts";
import type { Database } from "../database.ts";
import { commentViews } from "./comment-views.ts";
import { issueDetail } from "./issue-detail.ts";
import { issueLists } from "./issue-lists.ts";
import { labelViews } from "./label-views.ts";

export const issueViews = (database: Database): IssueViews => ({
  ...issueLists(database),
  ...issueDetail(database),
  ...labelViews(database),
  ...commentViews(database),
});
