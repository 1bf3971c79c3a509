import * as Effect from "effect/Effect";
import { beginCeremony, type PasskeyIo } from "./passkey-ceremony.ts";

/** Begins a sign-in or a verification with a passkey: the options for the browser, and what it must send back. */
export const beginPasskeySignIn = (io: PasskeyIo) => () =>
  Effect.gen(function* () {
    const { party, flow, challenge } = yield* beginCeremony(io, "sign-in");
    return { flow, options: yield* io.passkeys.signInOptions(party, challenge) };
  });
