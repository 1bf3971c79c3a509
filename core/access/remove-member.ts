import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { CompanyId, UserId } from "../shared/ids.ts";
import { MemberNotFound } from "./board-user.ts";
import type { Actor } from "./caller.ts";

export const removeMember =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly companyId: CompanyId; readonly userId: UserId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { companyId, userId, by } = command;
        if (!(yield* stores.access.removeMember(companyId, userId))) yield* Effect.fail(new MemberNotFound());
        yield* stores.activity.append({
          companyId,
          by,
          at: clock.now(),
          action: "member.removed",
          entityId: userId,
          details: {},
        });
        return { ok: true as const };
      }),
    );
