import { escapedHtml } from "../shared/escaped-html.ts";
import type { CompanyId, IssueId, NoticeId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { shortLine, shortText } from "../shared/short-text.ts";
import type { NoticeKind } from "./notice-kind.ts";
import { type UnsubscribeScope, unsubscribeScope } from "./unsubscribe.ts";

/** The parts of a notice that its email shows. */
export interface NoticeToWrite {
  readonly id: NoticeId;
  readonly kind: NoticeKind | "test";
  readonly companyId: CompanyId | null;
  readonly companyName: string | null;
  readonly title: string;
  readonly text: string;
  /** `/…` below the address of the service. */
  readonly path: string;
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly waitingSince: Instant;
}

export interface EmailAddresses {
  /** The address of the service for people, without a slash at its end. */
  readonly service: string;
  /** The domain of the sender, which makes message ids unique. */
  readonly domain: string;
  /** Turns off such email for the recipient, by POST and without a sign-in. */
  readonly unsubscribe: string;
}

export interface NoticeEmail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
}

const maxNameLength = 80;
const maxTitleLength = 120;
const maxTextLength = 1_000;

const reasons: Readonly<Record<NoticeToWrite["kind"], string>> = {
  decision: "You get this email because something waits for you.",
  mention: "You get this email because a comment mentions you.",
  followed: "You get this email because you follow this issue.",
  run_failed: "You get this email because you asked to hear about failed runs.",
  budget: "You get this email because you asked to hear about budgets.",
  sign_in: "You get this email because somebody signed in, or tried to sign in, as you.",
  digest: "You get this email because you asked for a daily digest.",
  test: "You get this email because you asked for a test notice.",
};

/** The email of a notice. Texts of agents are cut and escaped, and its subject and header fields are single lines. */
export const noticeEmail = (notice: NoticeToWrite, addresses: EmailAddresses): NoticeEmail => {
  const company = shortLine(notice.companyName ?? "Boardroom", maxNameLength);
  const name = shortLine(notice.title, maxTitleLength);
  const title = notice.issueIdentifier === null ? name : `${notice.issueIdentifier} ${name}`;
  const sentence = shortText(notice.text, maxTextLength);
  const link = `${addresses.service}${notice.path}`;
  const reason = reasons[notice.kind];
  const turnOff = turnOffText(unsubscribeScope(notice), company);
  return {
    subject: `[${company}] ${title}`,
    text: `${title}\n\n${sentence}\n\nOpen: ${link}\n\n-- \n${reason}\n${turnOff}: ${addresses.unsubscribe}\n`,
    html: htmlOf({ company, title, sentence, link, reason, turnOff, unsubscribe: addresses.unsubscribe }),
    messageId: messageIdOf(notice, addresses),
    headers: headersOf(notice, addresses),
  };
};

const turnOffText = (scope: UnsubscribeScope, company: string): string => {
  if (scope === "digest") return "Turn off the daily digest";
  if (scope === "sign_in") return "Turn off email about sign-ins";
  return scope === "all" ? "Turn off all email" : `Turn off email about ${company}`;
};

/** The same for each attempt, and another one for an update, which a mailbox would drop as a duplicate. */
const messageIdOf = ({ id, waitingSince }: NoticeToWrite, { domain }: EmailAddresses): string =>
  `<notice.${id}.${Date.parse(waitingSince)}@${domain}>`;

/** All email about an issue replies to a message that was never sent, so that its order doesn't matter. */
const headersOf = ({ id, issueId }: NoticeToWrite, { domain, unsubscribe }: EmailAddresses) => {
  const thread = `<${issueId === null ? `notice.${id}` : `issue.${issueId}`}@${domain}>`;
  return {
    "In-Reply-To": thread,
    References: thread,
    // Without it, programs that answer while a person is away would write back.
    "Auto-Submitted": "auto-generated",
    "List-Unsubscribe": `<${unsubscribe}>`,
    // RFC 8058 allows one-click for https alone.
    ...(unsubscribe.startsWith("https:") ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : {}),
  };
};

const htmlOf = (parts: {
  readonly company: string;
  readonly title: string;
  readonly sentence: string;
  readonly link: string;
  readonly reason: string;
  readonly turnOff: string;
  readonly unsubscribe: string;
}): string => {
  const { company, title, sentence, link, reason, turnOff, unsubscribe } = parts;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font-family:sans-serif;line-height:1.5">',
    `<p style="color:#666">${escapedHtml(company)}</p>`,
    `<h1 style="font-size:1.2em">${escapedHtml(title)}</h1>`,
    `<p>${escapedHtml(sentence).replaceAll("\n", "<br>")}</p>`,
    `<p><a href="${escapedHtml(link)}">Open in Boardroom</a></p>`,
    `<p style="color:#666;font-size:0.85em">${reason}<br><a href="${escapedHtml(unsubscribe)}">${escapedHtml(turnOff)}</a></p>`,
    "</body></html>",
  ].join("\n");
};
