import * as Effect from "effect/Effect";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller } from "../model/access/caller.ts";
import { confirmationEmail } from "../model/access/confirmation-email.ts";
import {
  EmailNotSent,
  EmailUnavailable,
  emailConfirmationSec,
  mostConfirmations,
  refusalOfConfirmations,
} from "../model/access/email-address.ts";
import { addSeconds } from "../model/shared/instant.ts";
import type { EmailIo } from "./email-io.ts";

export interface SetEmail {
  readonly caller: BoardCaller;
  readonly address: string;
}

/**
 * Sends a link to an address that the caller wants notices at. Until it is opened, the address before stays in use, and
 * nothing else is sent to the new one.
 */
export const setEmail =
  (context: UseCaseContext, io: EmailIo) =>
  ({ caller, address }: SetEmail) =>
    Effect.gen(function* () {
      const { mail } = io;
      if (mail === null) return yield* Effect.fail(new EmailUnavailable());
      const link = yield* storeConfirmation(context, io, { caller, address });
      if (link === null) return;
      const url = `${io.address()}/confirm-email#code=${link.code}`;
      const message = confirmationEmail({ id: link.id, url, domain: mail.domain });
      const { status } = yield* mail.send({ to: address, ...message });
      if (status === "sent") return;
      yield* transact(context, "access.dropConfirmation", actorOf(caller), function* (unit) {
        yield* unit.emails.endConfirmations(caller.userId, unit.at);
      });
      yield* Effect.fail(new EmailNotSent());
    });

/** null: the address is that of the caller already. */
const storeConfirmation = (context: UseCaseContext, io: EmailIo, { caller, address }: SetEmail) =>
  transact(context, "access.setEmail", actorOf(caller), function* (unit) {
    const { userId } = caller;
    // One after the other, so that none is missed in the count.
    yield* unit.access.lockUser(userId).pipe(Effect.orDie);
    const before = yield* unit.emails.find(userId);
    if (before?.address === address) {
      yield* unit.emails.endConfirmations(userId, unit.at);
      return null;
    }
    const since = addSeconds(unit.at, -mostConfirmations.withinSec);
    const recent = yield* unit.emails.recentConfirmations(userId, address, since);
    const refusal = refusalOfConfirmations(recent, unit.at);
    if (refusal !== null) return yield* Effect.fail(refusal);
    const { text: code, hash } = io.credentials.mintCode();
    const id = unit.newId<"email_confirmation">();
    const expiresAt = addSeconds(unit.at, emailConfirmationSec);
    yield* unit.emails.insertConfirmation(
      { id, userId, address, hash, createdAt: unit.at, expiresAt },
      since,
    );
    return { id, code };
  });
