import type { OutgoingNotice } from "../../ports/notice-channels.ts";
import { entryPath } from "../model/inbox/entry-path.ts";
import { type InboxFact, reasonOf } from "../model/inbox/inbox-entry.ts";
import type { Notice } from "../model/notices/notice.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { visibleText } from "../model/shared/visible-text.ts";

const longest = 200;

const short = (text: string): string => {
  const characters = [...visibleText(text.slice(0, 1_000)).replace(/\s+/g, " ").trim()];
  return characters.length <= longest ? characters.join("") : `${characters.slice(0, longest - 1).join("")}…`;
};

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
        .map((each) => `${short(each.title)}: ${short(reasonOf(each))}`)
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
    title: short(fact.title),
    text: short(reasonOf(fact)),
    path: entryPath({ subject: about, issue, agent }, prefixOf(companyId)) ?? "/inbox",
    issueId,
    issueIdentifier,
    waitingSince,
    isUpdate,
  };
};
