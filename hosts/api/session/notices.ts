import * as Effect from "effect/Effect";
import { z } from "zod";
import { noticeChannels, noticeKinds } from "../../../core/model/notices/notice-kind.ts";
import { TestedJustNow, TestNotSent, TestUnreachable } from "../../../core/model/notices/notice-test.ts";
import { UnsubscribeTokenNotValid } from "../../../core/model/notices/unsubscribe.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import { boardOnly, open } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { rawEndpoint } from "../endpoint/raw-endpoint.ts";
import { Done, reference, upTo } from "../endpoint/values.ts";

const Kinds = z
  .array(z.enum(noticeKinds))
  .max(noticeKinds.length)
  .readonly()
  .describe(
    "decision (waits for you), mention (a comment names you), followed (an issue that you watch or are assigned to), run_failed (a run that an operator must look at), budget, sign_in (a sign-in as you on a new device, or refused), digest (once a day, unless your inbox is empty).",
  );

const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 22:00")
  .describe("Local time, HH:MM.");

const Channel = z.strictObject({
  kinds: Kinds,
  graceSec: z
    .int()
    .min(0)
    .max(86_400)
    .describe("What is decided, or that you see on an open page, within this time is not sent."),
});

const SettingsShape = z.strictObject({
  channels: z.strictObject({ push: Channel, email: Channel, chat: Channel }),
  companies: z
    .array(
      z.strictObject({
        companyId: reference<CompanyId>(),
        kinds: z.strictObject({ push: Kinds, email: Kinds, chat: Kinds }),
      }),
    )
    .max(1_000)
    .readonly()
    .describe("Companies with kinds of their own, in place of those of the channels."),
  timeZone: upTo(100).describe(
    "An IANA time zone such as Europe/Berlin, for the quiet hours and the digest.",
  ),
  quietHours: z
    .strictObject({ from: TimeOfDay, to: TimeOfDay })
    .nullable()
    .describe("Nothing is sent meanwhile; what still waits is sent at their end. null: none."),
  digestAt: TimeOfDay,
});

const unsubscribeHeaders = {
  "Content-Type":
    "`application/x-www-form-urlencoded` with `List-Unsubscribe=One-Click`, as mail programs send it.",
};

/** Notices to the person who calls. */
export const noticeCalls = {
  showNotices: endpoint({
    method: "GET",
    path: "/api/session/notices",
    summary: "Show which notices you get",
    description:
      "Until you change something: only what waits for your decision, and sign-ins that may not be yours.",
    access: boardOnly,
    returns: SettingsShape,
    run: ({ notices }, _, { caller }) => notices.showSettings(caller),
  }),
  saveNotices: endpoint({
    method: "PUT",
    path: "/api/session/notices",
    summary: "Choose which notices you get",
    description: "Replaces all settings. Applies to notices that are not sent yet, too.",
    access: boardOnly,
    body: SettingsShape,
    returns: SettingsShape,
    failures: [ReferenceNotFound, ValidationFailed],
    run: ({ notices }, settings, { caller }) => notices.saveSettings({ caller, settings }),
  }),
  seeNotices: endpoint({
    method: "POST",
    path: "/api/session/notices/seen",
    summary: "Tell that you see what waits for you",
    description:
      "A page sends it while it is visible and used, at least every 30 seconds, and once more with `stays: false` when it no longer is. No notice is sent of what waits now.",
    access: boardOnly,
    body: z.strictObject({ stays: z.boolean().describe("Whether you stay on the page.") }),
    returns: Done,
    run: ({ notices }, { stays }, { caller }) =>
      Effect.as(notices.notePresence({ caller, stays }), { ok: true as const }),
  }),
  testNotice: endpoint({
    method: "POST",
    path: "/api/session/notices/test",
    summary: "Send yourself a test notice",
    description: "By one channel at once, whatever your settings are. At most once in ten seconds.",
    access: boardOnly,
    body: z.strictObject({ channel: z.enum(noticeChannels) }),
    returns: Done,
    failures: [TestUnreachable, TestNotSent, TestedJustNow],
    run: ({ notices }, { channel }, { caller }) =>
      Effect.as(notices.sendTest({ caller, channel }), { ok: true as const }),
  }),
  unsubscribe: rawEndpoint({
    path: "/unsubscribe/{unsubscribeToken}",
    summary: "Turn off email by the link of an email",
    description:
      "Needs no credentials: the link itself says whose email it turns off, of one company or the digest. Mail programs call it for one click (RFC 8058). A browser that opens the link gets a page that asks first.",
    access: open,
    headers: unsubscribeHeaders,
    returns: Done,
    failures: [UnsubscribeTokenNotValid],
    run: ({ notices }, { unsubscribeToken }) =>
      Effect.as(notices.unsubscribe(unsubscribeToken), { ok: true as const }),
  }),
};
