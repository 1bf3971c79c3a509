import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { actAs, type UnitOfWork } from "../access/unit-of-work.ts";
import { type Client, deviceOf } from "../model/access/client.ts";
import type { SignInMethod } from "../model/access/sign-in.ts";
import { endsOfSession } from "../model/access/web-session.ts";
import type { TokenId, UserId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

interface BeginSession {
  readonly userId: UserId;
  readonly method: SignInMethod;
  readonly client: Client;
  readonly name: string;
  /** The sign-in provider at which it begins. */
  readonly provider?: string;
  /** The session ends then at the latest; null: after seven days. */
  readonly latest: Instant | null;
}

/** Signs a person in: stores the session and records the sign-in. Only this result has the session's text. */
export const beginSession = (unit: UnitOfWork, credentials: Credentials, begin: BeginSession) =>
  Effect.gen(function* () {
    const { userId, method, client, name, latest, provider = null } = begin;
    const session = credentials.mint("ses");
    const id = unit.newId<"token">() as TokenId;
    const ends = endsOfSession(unit.at, latest);
    const device = deviceOf(client);
    const { address } = client;
    yield* unit.access.insertCredential({
      id,
      userId,
      kind: "session",
      name,
      hash: session.hash,
      device,
      address,
      provider,
      verifiedAt: method === "passkey" ? unit.at : null,
      createdAt: unit.at,
      ...ends,
    });
    const known = yield* unit.access.devicesOf(userId);
    const newDevice =
      known.length > 0 && !known.some((each) => each.device === device && each.address === address);
    yield* unit.access.insertSignIn({
      id: unit.newId<"sign_in">(),
      userId,
      method,
      refusal: null,
      device,
      address,
      newDevice,
      createdAt: unit.at,
    });
    if (newDevice) yield* unit.notices.markPerson(userId);
    const person = yield* unit.access.findPerson(userId);
    const asPerson = actAs(unit, { kind: "board", userId });
    for (const companyId of person?.roles.keys() ?? [])
      yield* asPerson.log("member.signed_in", { companyId, id: userId }, { method, newDevice });
    return { session: session.text, csrfToken: credentials.csrfTokenOf(id), expiresAt: ends.expiresAt };
  });
