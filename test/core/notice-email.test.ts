import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type EmailAddresses,
  type NoticeToWrite,
  noticeEmail,
} from "../../core/model/notices/notice-email.ts";
import { noticeKinds } from "../../core/model/notices/notice-kind.ts";
import type { CompanyId, IssueId, NoticeId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { OutgoingNotice } from "../../ports/notice-channels.ts";

const addresses: EmailAddresses = {
  service: "https://boardroom.example",
  domain: "mail.example",
  unsubscribe: "https://boardroom.example/unsubscribe?token=a&b",
};

const notice: NoticeToWrite = {
  id: "0190aaaa-0000-7000-8000-000000000001" as NoticeId,
  kind: "decision",
  companyId: "0190aaaa-0000-7000-8000-000000000002" as CompanyId,
  companyName: "Harbour",
  title: "Merge the tide tables",
  text: "Ada asks for confirmation.",
  path: "/HAR/issues/HAR-12#0190aaaa-0000-7000-8000-000000000003",
  issueId: "0190aaaa-0000-7000-8000-000000000004" as IssueId,
  issueIdentifier: "HAR-12",
  waitingSince: "2026-11-28T10:00:00.000Z" as Instant,
};

const later = "2026-11-28T11:00:00.000Z" as Instant;
const write = (changed: Partial<NoticeToWrite> = {}, to: Partial<EmailAddresses> = {}) =>
  noticeEmail({ ...notice, ...changed }, { ...addresses, ...to });

describe("the email of a notice", () => {
  it("is written from what a channel gets", () => {
    const outgoing = { ...notice, userId: "u", isUpdate: false } as OutgoingNotice;
    expect(noticeEmail(outgoing, addresses)).toEqual(write());
  });

  it("names the company and the issue, and opens the decision itself", () => {
    const { subject, text, html } = write();
    expect(subject).toBe("[Harbour] HAR-12 Merge the tide tables");
    const link = "https://boardroom.example/HAR/issues/HAR-12#0190aaaa-0000-7000-8000-000000000003";
    expect(text).toContain(`Ada asks for confirmation.\n\nOpen: ${link}\n`);
    expect(html).toContain(`<a href="${link}">Open in Boardroom</a>`);
    expect(text).toContain(`Turn off email about Harbour: ${addresses.unsubscribe}\n`);
    expect(html).toContain('href="https://boardroom.example/unsubscribe?token=a&amp;b"');
  });

  it("speaks of Boardroom where it is about no company and no issue", () => {
    const { subject } = write({ companyName: null, issueId: null, issueIdentifier: null, title: "Digest" });
    expect(subject).toBe("[Boardroom] Digest");
  });

  it("turns off the digest alone where it is one, and all email where it is about no company", () => {
    const none = { companyId: null, companyName: null };
    expect(write({ ...none, kind: "digest" }).text).toContain("Turn off the daily digest: ");
    expect(write({ ...none, kind: "test" }).text).toContain("Turn off all email: ");
  });

  it.each([...noticeKinds, "test" as const])("says why a notice of the kind %s comes", (kind) => {
    expect(write({ kind }).text).toMatch(/\n-- \nYou get this email because .+\.\n/);
  });

  it("has one id for all attempts, and another one for an update", () => {
    expect(write().messageId).toBe(write().messageId);
    expect(write().messageId).not.toBe(write({ waitingSince: later }).messageId);
    expect(write().messageId).not.toBe(write({ id: notice.companyId as string as NoticeId }).messageId);
  });

  it("is in one thread with all email about the issue", () => {
    const [first, second] = [
      write(),
      write({ id: "another" as NoticeId, kind: "followed", waitingSince: later }),
    ];
    expect(first.headers.References).toBe(`<issue.${notice.issueId}@mail.example>`);
    expect(first.headers["In-Reply-To"]).toBe(first.headers.References);
    expect(second.headers.References).toBe(first.headers.References);
    expect(write({ issueId: "other" as IssueId }).headers.References).not.toBe(first.headers.References);
  });

  it("is in one thread with its updates where it is about no issue", () => {
    const [first, update] = [write({ issueId: null }), write({ issueId: null, waitingSince: later })];
    expect(update.headers.References).toBe(first.headers.References);
    expect(write({ issueId: null, id: "another" as NoticeId }).headers.References).not.toBe(
      first.headers.References,
    );
  });

  it("offers one click to unsubscribe where the service has https, as RFC 8058 asks", () => {
    expect(write().headers).toMatchObject({
      "List-Unsubscribe": `<${addresses.unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "Auto-Submitted": "auto-generated",
    });
    const { headers } = write({}, { unsubscribe: "http://127.0.0.1:3100/unsubscribe?token=a" });
    expect(headers).not.toHaveProperty("List-Unsubscribe-Post");
    expect(headers).toHaveProperty("List-Unsubscribe");
  });

  it("cuts long texts, whole characters at a time", () => {
    const { subject, text } = write({ title: "🐙".repeat(500), text: "x".repeat(50_000) });
    expect(subject.length).toBeLessThan(300);
    expect(subject).toMatch(/🐙…$/u);
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain("x…\n");
  });

  it("has no markup, line break or invisible character of an agent's text where that could do harm", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      '"',
      "&",
      "'",
      "\r",
      "\n",
      "\u2028",
      "\u202e",
      "\u0000",
      "a",
      " ",
      "<b>",
    );
    const hostile = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, hostile, hostile, (title, text, companyName) => {
        const email = write({ title, text, companyName });
        for (const line of [email.subject, email.messageId, ...Object.values(email.headers)])
          expect(line).not.toMatch(/[\r\n\u2028\u2029\u202e\u0000]/);
        expect(email.text).not.toMatch(/[\r\u2028\u202e\u0000]/);
        const tags = (html: string) => html.match(/<[^>]*>/g)!.filter((tag) => tag !== "<br>");
        expect(tags(email.html)).toEqual(tags(write().html));
      }),
    );
  });
});
