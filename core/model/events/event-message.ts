import type { EntityType } from "../activity/activity-entry.ts";
import { verbOf } from "../activity/activity-verbs.ts";
import { pagePaths } from "../activity/page-paths.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { shortLine } from "../shared/short-text.ts";
import { chatMessage } from "./chat-message.ts";
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
  /** The name of the assistant that acted for the person, as it names itself; null: none did. */
  readonly assistant: string | null;
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
export const bodyOf = (event: OutgoingEvent, format: EventFormat, base: string): string => {
  const link = linkOf(event, base);
  return JSON.stringify(
    format === "webhook" ? signedBody(event, link) : chatMessage(format, sentenceOf(event), link),
  );
};

const signedBody = (event: OutgoingEvent, url: string): object => ({
  type: event.type,
  timestamp: event.occurredAt,
  data: {
    id: event.eventId,
    companyId: event.companyId,
    actorType: event.actorType,
    actorId: event.actorId,
    assistant: event.assistant,
    runId: event.runId,
    entityType: event.subjectType,
    entityId: event.subjectId,
    details: event.details,
    url,
  },
});

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const maxNameLength = 120;

const short = (text: string): string => shortLine(text, maxNameLength);

/** The event as a sentence of at most a few hundred characters: `Ada moved HAR-12 Fix the login: todo → done`. */
export const sentenceOf = (event: OutgoingEvent): string => {
  const { type, actorName, assistant, subjectName, details, companyName } = event;
  if (type === testEvent) return `${short(companyName)}: this is a test of your event subscription.`;
  const names = [details.identifier, subjectName ?? details.title ?? details.name ?? details.key];
  const subject = [...new Set(names.filter(isText))].map(short).join(" ");
  const what = isText(details.from) && isText(details.to) ? `${details.from} → ${details.to}` : null;
  const more = isText(details.bodySnippet) ? `“${details.bodySnippet}”` : what;
  const verb = subject === "" ? verbOf(type).replace(/:$/, "") : verbOf(type);
  const actor = short(actorName ?? "Boardroom");
  const by = assistant === null ? actor : `${actor} with ${short(assistant)}`;
  const sentence = [by, verb, subject].filter((part) => part !== "").join(" ");
  return more === null ? sentence : `${sentence}: ${short(more.replaceAll("_", " "))}`;
};

/** The type of the event by which a person tests a subscription. */
export const testEvent = "event_subscription.test";
