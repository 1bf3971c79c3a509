import type { EntityType } from "../activity/activity-entry.ts";
import { verbOf } from "../activity/activity-verbs.ts";
import { pagePaths } from "../activity/page-paths.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { shortLine } from "../shared/short-text.ts";
import type { EventFormat } from "./event-format.ts";

/** An event with the names of what it is about, as they are when it is sent. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: Instant;
  readonly companyId: CompanyId;
  readonly companyName: string;
  /** The company's part of addresses of the page. */
  readonly companyKey: string;
  readonly actorType: "board" | "agent" | "system";
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly runId: string | null;
  readonly subjectType: EntityType;
  readonly subjectId: string;
  /** null: the details name it, or it has no name. */
  readonly subjectName: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The page of the event's subject: for a request, where it is decided. `base` is the address of the service. */
export const linkOf = (
  { companyKey, subjectType, subjectId }: Pick<OutgoingEvent, "companyKey" | "subjectType" | "subjectId">,
  base: string,
): string => {
  const path = pagePaths[subjectType];
  return `${base}/${companyKey}${path === undefined ? "/activity" : `${path}/${subjectId}`}`;
};

/** The body of the request to a subscription of the format. */
export const bodyOf = (event: OutgoingEvent, format: EventFormat, base: string): string =>
  JSON.stringify(bodies[format](event, linkOf(event, base)));

const bodies: Readonly<Record<EventFormat, (event: OutgoingEvent, link: string) => object>> = {
  webhook: (event, url) => ({
    type: event.type,
    timestamp: event.occurredAt,
    data: {
      id: event.eventId,
      companyId: event.companyId,
      actorType: event.actorType,
      actorId: event.actorId,
      runId: event.runId,
      entityType: event.subjectType,
      entityId: event.subjectId,
      details: event.details,
      url,
    },
  }),
  slack: (event, link) => ({ text: `${escapedForSlack(sentenceOf(event))} <${link}|Open>` }),
  mattermost: (event, link) => ({ text: `${escapedForMarkdown(sentenceOf(event))} [Open](${link})` }),
  discord: (event, link) => ({
    content: `${escapedForMarkdown(sentenceOf(event))} [Open](<${link}>)`,
    allowed_mentions: { parse: [] },
  }),
  teams: (event, url) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [{ type: "TextBlock", text: escapedForMarkdown(sentenceOf(event)), wrap: true }],
          actions: [{ type: "Action.OpenUrl", title: "Open", url }],
        },
      },
    ],
  }),
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const maxNameLength = 120;

const short = (text: string): string => shortLine(text, maxNameLength);

/** The event as a sentence of at most a few hundred characters: `Ada moved HAR-12 Fix the login: todo → done`. */
export const sentenceOf = (event: OutgoingEvent): string => {
  const { type, actorName, subjectName, details, companyName } = event;
  if (type === testEvent) return `${short(companyName)}: this is a test of your event subscription.`;
  const names = [details.identifier, subjectName ?? details.title ?? details.name ?? details.key];
  const subject = [...new Set(names.filter(isText))].map(short).join(" ");
  const what = isText(details.from) && isText(details.to) ? `${details.from} → ${details.to}` : null;
  const more = isText(details.bodySnippet) ? `“${details.bodySnippet}”` : what;
  const verb = subject === "" ? verbOf(type).replace(/:$/, "") : verbOf(type);
  const sentence = [short(actorName ?? "Boardroom"), verb, subject].filter((part) => part !== "").join(" ");
  return more === null ? sentence : `${sentence}: ${short(more.replaceAll("_", " "))}`;
};

/** The type of the event by which a person tests a subscription. */
export const testEvent = "event_subscription.test";

/** A text of an agent must not notify a whole channel: the @ is separated from the name. */
const withoutMentions = (text: string): string => text.replaceAll("@", "@\u200b");

const escapedForSlack = (text: string): string =>
  withoutMentions(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const escapedForMarkdown = (text: string): string =>
  withoutMentions(text).replace(/[\\`*_~[\]()<>#|!]/g, "\\$&");
