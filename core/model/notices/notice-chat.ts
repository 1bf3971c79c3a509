import type { ChatFormat } from "../events/event-format.ts";
import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";
import { shortLine, shortText } from "../shared/short-text.ts";

/** The incoming webhook of a chat at which a person gets notices. Its address is a credential. */
export interface NoticeChat {
  readonly format: ChatFormat;
  /** As its person sees it: the host alone. */
  readonly url: string;
  readonly createdAt: Instant;
  /** When the chat last accepted a notice; null: never. */
  readonly lastUsedAt: Instant | null;
  /** Why the last notice was not accepted; null: it was. */
  readonly lastError: string | null;
}

export class ChatRefused extends refusal(
  "notice_chat_refused",
  "unprocessable",
  "The service doesn't send to this address.",
) {}

/** Discord takes 2,000 characters, and escaping can double them. */
const maxLineLength = 120;
const maxTextLength = 500;

/** A notice as the text of a chat message. */
export const chatText = (notice: {
  readonly companyName: string | null;
  readonly issueIdentifier: string | null;
  readonly title: string;
  readonly text: string;
}): string => {
  const name = shortLine(notice.title, maxLineLength);
  const title = notice.issueIdentifier === null ? name : `${notice.issueIdentifier} ${name}`;
  const company = notice.companyName === null ? "" : `[${shortLine(notice.companyName, maxLineLength)}] `;
  return `${company}${title}\n${shortText(notice.text, maxTextLength)}`;
};
