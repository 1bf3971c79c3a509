import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { createSession } from "./create-session.ts";
import { createToken } from "./create-token.ts";
import { createUser } from "./create-user.ts";
import { removeMember } from "./remove-member.ts";
import { revokeToken } from "./revoke-token.ts";
import { setMember } from "./set-member.ts";
import { updateUser } from "./update-user.ts";

/** Everything that can be done about who may call. */
export const access = (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => ({
  createUser: createUser(transactor, clock),
  updateUser: updateUser(transactor, clock),
  createToken: createToken(transactor, clock, credentials),
  revokeToken: revokeToken(transactor, clock),
  createSession: createSession(transactor, clock, ids, credentials),
  setMember: setMember(transactor, clock),
  removeMember: removeMember(transactor, clock),
});

export type Access = ReturnType<typeof access>;
