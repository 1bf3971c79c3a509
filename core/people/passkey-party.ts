import { relyingPartyOf } from "../model/access/passkey.ts";

/** Returns where browsers may use passkeys, or null. */
export const passkeyParty = (address: () => string) => () => relyingPartyOf(address());
