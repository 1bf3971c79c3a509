import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noticeChannels, noticeKinds } from "../../core/model/notices/notice-kind.ts";
import { defaultNotices, isWanted, type NoticeSettings } from "../../core/model/notices/notice-settings.ts";
import { withoutEmail } from "../../core/model/notices/unsubscribe.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";

const companies = ["a", "b", "c"] as CompanyId[];
const kinds = fc.subarray([...noticeKinds]);
const settings: fc.Arbitrary<NoticeSettings> = fc
  .record({
    push: kinds,
    email: kinds,
    chat: kinds,
    own: fc.subarray(companies).chain((some) =>
      fc.tuple(
        ...some.map((companyId) =>
          fc.record({
            companyId: fc.constant(companyId),
            kinds: fc.record({ push: kinds, email: kinds, chat: kinds }),
          }),
        ),
      ),
    ),
  })
  .map(({ push, email, chat, own }) => ({
    ...defaultNotices,
    channels: {
      push: { kinds: push, graceSec: 5 },
      email: { kinds: email, graceSec: 60 },
      chat: { kinds: chat, graceSec: 60 },
    },
    companies: own,
  }));

/** The wishes of the person, for each channel, kind and company. */
const wanted = (of: NoticeSettings) =>
  noticeChannels.flatMap((channel) =>
    noticeKinds.flatMap((kind) =>
      [...companies, null].map((companyId) => ({
        channel,
        kind,
        companyId,
        is: isWanted(of, channel, kind, companyId),
      })),
    ),
  );

describe("A link that turns off email", () => {
  it.each([
    ["a company", "a" as CompanyId, (each: { companyId: CompanyId | null }) => each.companyId === "a"],
    ["all", "all" as const, () => true],
    [
      "the digest",
      "digest" as const,
      (each: { kind: string; companyId: CompanyId | null }) =>
        each.kind === "digest" && each.companyId === null,
    ],
    [
      "sign-ins",
      "sign_in" as const,
      (each: { kind: string; companyId: CompanyId | null }) =>
        each.kind === "sign_in" && each.companyId === null,
    ],
  ])("turns off that of %s and nothing else", (_, scope, isOff) => {
    fc.assert(
      fc.property(settings, (before) => {
        const after = wanted(withoutEmail(before, scope));
        const expected = wanted(before).map((each) =>
          each.channel === "email" && isOff(each) ? { ...each, is: false } : each,
        );
        // They are about no company: none has kinds of its own for them.
        const relevant = ({ kind, companyId }: { kind: string; companyId: CompanyId | null }) =>
          (kind !== "digest" && kind !== "sign_in") || companyId === null;
        expect(after.filter(relevant)).toEqual(expected.filter(relevant));
      }),
    );
  });
});
