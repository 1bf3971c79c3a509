import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { systemUseCase } from "../access/unit-of-work.ts";
import { defaultNotices } from "../model/notices/notice-settings.ts";
import { UnsubscribeTokenNotValid, withoutEmail } from "../model/notices/unsubscribe.ts";

/** Turns off email by the link of an email, as often as it is opened. */
export const unsubscribe = (credentials: Credentials) =>
  systemUseCase("notices.unsubscribe", function* (unit, token: string) {
    const claims = credentials.readUnsubscribeToken(token);
    if (claims === null) return yield* Effect.fail(new UnsubscribeTokenNotValid());
    const { userId, scope } = claims;
    const settings = (yield* unit.notices.lockSettings(userId)) ?? defaultNotices;
    yield* unit.notices.saveSettings(userId, withoutEmail(settings, scope));
  });
