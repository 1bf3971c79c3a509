import type { OutgoingNotice } from "../../ports/notice-channels.ts";
import { entryPath } from "../model/inbox/entry-path.ts";
import { type InboxFact, reasonOf } from "../model/inbox/inbox-entry.ts";
import type { Notice } from "../model/notices/notice.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { shortLine } from "../model/shared/short-text.ts";

const maxLength = 200;

/** How many entries a digest lists. */
const listed = 5;

/** Makes the message of a notice; null: the subject is decided. */
export const outgoingNotice = (
  { id, userId, kind, subject, version }: Notice,
  facts: readonly InboxFact[],
  prefixOf: (companyId: CompanyId | null) => string | undefined,
  isUpdate: boolean,
): OutgoingNotice | null => {
  const fact = facts.find((each) => each.id === subject);
  if (kind === "digest")
    return {
      id,
      userId,
      kind,
      version,
      companyId: null,
      companyName: null,
      title: facts.length === 1 ? "1 item in your inbox" : `${facts.length} items in your inbox`,
      text: facts
        .slice(0, listed)
        .map((each) => `${shortLine(each.title, maxLength)}: ${shortLine(reasonOf(each), maxLength)}`)
        .join("\n"),
      path: "/inbox",
      issueId: null,
      issueIdentifier: null,
      waitingSince: facts[0]?.waitingSince ?? "",
      isUpdate,
    };
  if (fact === undefined) return null;
  const { companyId, companyName, issueId, issueIdentifier, agentId, waitingSince } = fact;
  const about = { type: fact.subjectType, id: fact.subjectId };
  const issue = issueIdentifier === null ? null : { identifier: issueIdentifier };
  const agent = agentId === null ? null : { id: agentId };
  return {
    id,
    userId,
    kind,
    version,
    companyId,
    companyName,
    title: shortLine(fact.title, maxLength),
    text: shortLine(reasonOf(fact), maxLength),
    path: entryPath({ subject: about, issue, agent }, prefixOf(companyId)) ?? "/inbox",
    issueId,
    issueIdentifier,
    waitingSince,
    isUpdate,
  };
};
