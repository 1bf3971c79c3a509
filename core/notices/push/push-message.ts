import type { OutgoingNotice, SentNotice } from "../../../ports/notice-channels.ts";
import type { PushMessage } from "../../../ports/web-push.ts";
import { shortLine, shortText } from "../../model/shared/short-text.ts";

/** A message holds 3,993 bytes, and a character has up to four. */
const maxTitleLength = 120;
const maxTextLength = 600;
/** A browser that is off for a weekend gets what still waits; what doesn't is replaced by its withdrawal. */
const ttlSec = 7 * 86_400;

/** As many characters as a topic may have. */
const topicOf = (id: string): string => id.replaceAll("-", "");

/** The worker of the page shows it (`hosts/web/worker/service-worker.ts`). */
export const noticeMessage = (notice: OutgoingNotice): PushMessage => {
  const { id, version, kind, companyName, issueIdentifier, path } = notice;
  const name = shortLine(notice.title, maxTitleLength);
  const title = issueIdentifier === null ? name : `${issueIdentifier} ${name}`;
  const lines = [shortText(notice.text, maxTextLength), shortLine(companyName ?? "", maxTitleLength)];
  const body = lines.filter((line) => line !== "").join("\n");
  return {
    text: JSON.stringify({ type: "notice", id, version, title, body, path }),
    topic: topicOf(id),
    ttlSec,
    urgency: kind === "decision" ? "high" : kind === "digest" ? "low" : "normal",
  };
};

/** Makes the worker close the notice. */
export const withdrawalMessage = ({ id }: SentNotice): PushMessage => ({
  text: JSON.stringify({ type: "withdrawal", id }),
  topic: topicOf(id),
  ttlSec,
  urgency: "normal",
});

export const testMessage = (id: string): PushMessage => ({
  text: JSON.stringify({
    type: "notice",
    id,
    version: "test",
    title: "Test notice",
    body: "Notices arrive on this device.",
    path: "/profile",
  }),
  topic: topicOf(id),
  ttlSec: 60,
  urgency: "high",
});
