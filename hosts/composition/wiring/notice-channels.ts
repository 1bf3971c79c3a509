import * as Effect from "effect/Effect";
import { emailChannel } from "../../../adapters-infra/mail/email-channel.ts";
import type { NoticeChannels } from "../../../ports/notice-channels.ts";
import type { Bind } from "./foundations.ts";
import { T } from "./tokens.ts";

/** Binds the ways to reach people that the settings allow. */
export const bindNoticeChannels = (bind: Bind): void => {
  bind(T.noticeChannels).toDynamicValue(({ get }): NoticeChannels => {
    const own = [get(T.pushSubscriptions).channel, get(T.noticeChats).channel];
    const mail = get(T.mail);
    if (mail === null) return own;
    const [views, clock] = [get(T.views), get(T.clock)];
    const email = emailChannel({
      mail,
      credentials: get(T.credentials),
      addressOf: (userId) => Effect.map(views.access.email(userId, clock.now()), (found) => found.address),
      serviceAddress: get(T.address).ofService,
    });
    return [...own, email];
  });
};
