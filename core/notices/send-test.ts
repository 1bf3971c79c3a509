import * as Effect from "effect/Effect";
import type { NoticeChannels, OutgoingNotice } from "../../ports/notice-channels.ts";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import type { NoticeChannelName } from "../model/notices/notice-kind.ts";
import { refusalOfTest, TestNotSent, TestUnreachable } from "../model/notices/notice-test.ts";
import type { NoticeId, UserId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

export interface SendTestNotice {
  readonly caller: BoardCaller;
  readonly channel: NoticeChannelName;
}

interface TestParts extends UseCaseContext {
  readonly channels: NoticeChannels;
}

/** Sends a test to the caller by one channel at once, whatever their settings say. */
export const sendTest =
  (parts: TestParts) =>
  ({ caller, channel: name }: SendTestNotice) =>
    Effect.gen(function* () {
      const { userId } = caller;
      const channel = parts.channels.find((each) => each.name === name);
      if (channel === undefined || !(yield* channel.canReach(userId)))
        return yield* Effect.fail(new TestUnreachable());
      const test = yield* transact(parts, "notices.sendTest", actorOf(caller), function* (unit) {
        const refusal = refusalOfTest(yield* unit.notices.lockTestedAt(userId), unit.at);
        if (refusal !== null) return yield* Effect.fail(refusal);
        yield* unit.notices.saveTestedAt(userId, unit.at);
        return testNotice(unit.newId<"notice">(), userId, unit.at);
      });
      const attempt = yield* channel.send(test);
      if (attempt === "unreachable") return yield* Effect.fail(new TestUnreachable());
      if (attempt === "failed") return yield* Effect.fail(new TestNotSent());
    });

const testNotice = (id: NoticeId, userId: UserId, at: Instant): OutgoingNotice => ({
  id,
  userId,
  kind: "test",
  version: "test",
  companyId: null,
  companyName: null,
  title: "Test notice",
  text: "Notices reach you here.",
  path: "/profile",
  issueId: null,
  issueIdentifier: null,
  waitingSince: at,
  isUpdate: false,
});
