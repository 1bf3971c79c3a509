import { z } from "zod";
import { assistantScopes } from "../../../core/model/access/assistant-scope.ts";
import { signInMethods } from "../../../core/model/access/sign-in.ts";
import { chatFormats } from "../../../core/model/events/event-format.ts";
import { id, Timestamp } from "../endpoint/values.ts";

export const WebSessionShape = z.object({
  id,
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
  device: z.string().nullable().describe('Such as "Firefox on Linux"; null: unknown.'),
  address: z.string().nullable().describe("Of its last use, exact to a minute; null: unknown."),
  current: z.boolean().describe("The session of this call."),
});

export const SignInShape = z.object({
  id,
  method: z.enum(signInMethods),
  refusal: z.string().nullable().describe("The code of the refusal; null: you were signed in."),
  device: z.string().nullable(),
  address: z.string().nullable(),
  newDevice: z
    .boolean()
    .describe("You had signed in before, but not with this kind of browser from this address."),
  createdAt: Timestamp,
});

export const AssistantShape = z.object({
  id,
  name: z.string().describe("As it names itself."),
  host: z.string().describe("Where it was connected: a host, or the scheme of an app."),
  scopes: z.array(z.enum(assistantScopes)).readonly(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

export const EmailShape = z.object({
  address: z.string().nullable().describe("Where notices go; null: you have no confirmed address."),
  confirmedAt: Timestamp.nullable(),
  provider: z
    .string()
    .nullable()
    .describe("The sign-in provider that has verified it; null: you have confirmed it by a link."),
  unconfirmedAddress: z.string().nullable().describe("A link was sent there that has not been opened yet."),
  unconfirmedUntil: Timestamp.nullable().describe("When that link expires."),
  available: z.boolean().describe("Whether this instance sends email."),
});

export const NoticeChatShape = z.object({
  format: z.enum(chatFormats),
  url: z.string().describe("Only the host: its address is a credential."),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("When it last accepted a notice. Null: never."),
  lastError: z.string().nullable().describe("Why the last notice was not accepted. Null: it was."),
});

export const PasskeyShape = z.object({
  id,
  name: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("Null: it has not signed you in yet."),
});

export const PushSubscriptionShape = z.object({
  id,
  device: z.string().nullable().describe('Such as "Firefox on Linux"; null: unknown.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("When its push service last accepted a notice. Null: never."),
  lastError: z.string().nullable().describe("Why the last notice was not accepted. Null: it was."),
  current: z.boolean().describe("The browser of this call."),
});
