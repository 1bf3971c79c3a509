import type { ChatFormat } from "./event-format.ts";

/** The message to the incoming webhook of a chat: a plain text, and a link that opens the decision. */
export const chatMessage = (format: ChatFormat, text: string, link: string): object =>
  messages[format](text, link);

const messages: Readonly<Record<ChatFormat, (text: string, link: string) => object>> = {
  slack: (text, link) => ({ text: `${escapedForSlack(text)} <${link}|Open>` }),
  mattermost: (text, link) => ({ text: `${escapedForMarkdown(text)} [Open](${link})` }),
  discord: (text, link) => ({
    content: `${escapedForMarkdown(text)} [Open](<${link}>)`,
    allowed_mentions: { parse: [] },
  }),
  teams: (text, url) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          // A single line break is a blank there.
          body: [{ type: "TextBlock", text: escapedForMarkdown(text).replaceAll("\n", "\n\n"), wrap: true }],
          actions: [{ type: "Action.OpenUrl", title: "Open", url }],
        },
      },
    ],
  }),
};

/** A text of an agent must not notify a whole channel: the @ is separated from the name. */
const withoutMentions = (text: string): string => text.replaceAll("@", "@\u200b");

const escapedForSlack = (text: string): string =>
  withoutMentions(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const escapedForMarkdown = (text: string): string =>
  withoutMentions(text).replace(/[\\`*_~[\]()<>#|!]/g, "\\$&");
