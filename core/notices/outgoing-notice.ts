import type { OutgoingNotice } from "../../ports/notice-channels.ts";
import type { SignIn } from "../model/access/sign-in.ts";
import { entryPath } from "../model/inbox/entry-path.ts";
import { type InboxFact, reasonOf } from "../model/inbox/inbox-entry.ts";
import type { Notice } from "../model/notices/notice.ts";
import { signInOf, signInText } from "../model/notices/sign-in-notice.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { shortLine } from "../model/shared/short-text.ts";

const maxLength = 200;

/** How many entries a digest lists. */
const listed = 5;

/** The subjects of notices. */
export interface NoticeFacts {
  readonly entries: readonly InboxFact[];
  readonly signIns: readonly SignIn[];
  readonly prefixOf: (companyId: CompanyId | null) => string | undefined;
}

/** Makes the message of a notice; null: the subject is decided. */
export const outgoingNotice = (
  notice: Notice,
  facts: NoticeFacts,
  isUpdate: boolean,
): OutgoingNotice | null => {
  const content = contentOf(notice, facts);
  const { id, userId, kind, version } = notice;
  return content && { id, userId, kind, version, isUpdate, ...content };
};

type Content = Omit<OutgoingNotice, "id" | "userId" | "kind" | "version" | "isUpdate">;

const contentOf = (notice: Notice, facts: NoticeFacts): Content | null => {
  if (notice.kind === "digest") return digestOf(facts.entries);
  return notice.kind === "sign_in" ? ofSignIn(notice, facts) : ofEntry(notice, facts);
};

const ofNoCompany = { companyId: null, companyName: null, issueId: null, issueIdentifier: null } as const;

const digestOf = (entries: readonly InboxFact[]): Content => ({
  ...ofNoCompany,
  title: entries.length === 1 ? "1 item in your inbox" : `${entries.length} items in your inbox`,
  text: entries
    .slice(0, listed)
    .map((each) => `${shortLine(each.title, maxLength)}: ${shortLine(reasonOf(each), maxLength)}`)
    .join("\n"),
  path: "/inbox",
  waitingSince: entries[0]?.waitingSince ?? "",
});

const ofSignIn = (notice: Notice, { signIns }: NoticeFacts): Content | null => {
  const signIn = signInOf(notice, signIns);
  if (signIn === undefined) return null;
  return { ...ofNoCompany, ...signInText(signIn), path: "/profile", waitingSince: signIn.createdAt };
};

const ofEntry = ({ subject }: Notice, { entries, prefixOf }: NoticeFacts): Content | null => {
  const fact = entries.find((each) => each.id === subject);
  if (fact === undefined) return null;
  const { companyId, companyName, issueId, issueIdentifier, agentId, waitingSince } = fact;
  const about = { type: fact.subjectType, id: fact.subjectId };
  const issue = issueIdentifier === null ? null : { identifier: issueIdentifier };
  const agent = agentId === null ? null : { id: agentId };
  return {
    companyId,
    companyName,
    title: shortLine(fact.title, maxLength),
    text: shortLine(reasonOf(fact), maxLength),
    path: entryPath({ subject: about, issue, agent }, prefixOf(companyId)) ?? "/inbox",
    issueId,
    issueIdentifier,
    waitingSince,
  };
};
