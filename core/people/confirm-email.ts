import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { systemUseCase } from "../access/unit-of-work.ts";
import { EmailConfirmationNotValid } from "../model/access/email-address.ts";

/** Confirms the address to which a link was sent. The link alone counts: its reader need not be signed in. */
export const confirmEmail = (credentials: Credentials) =>
  systemUseCase("access.confirmEmail", function* (unit, code: string) {
    const confirmation = yield* unit.emails.useConfirmation(credentials.hash(code), unit.at);
    if (confirmation === null) return yield* Effect.fail(new EmailConfirmationNotValid());
    const { userId, address } = confirmation;
    yield* unit.emails.save({ userId, address, confirmedAt: unit.at, provider: null });
    return { address };
  });
