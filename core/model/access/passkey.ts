import { refusal } from "../shared/failure.ts";
import type { PasskeyId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A public key of an authenticator of a person: of a device, a security key, or a password manager. */
export interface Passkey {
  readonly id: PasskeyId;
  readonly userId: UserId;
  readonly name: string;
  /** As the authenticator names it, in base64url. */
  readonly credentialId: string;
  /** In COSE. */
  readonly publicKey: Uint8Array;
  /** Of signatures; zero in passkeys that are synchronized between devices. */
  readonly counter: number;
  readonly lastUsedAt: Instant | null;
  readonly createdAt: Instant;
}

/** A challenge must be answered within this time. */
export const challengeSec = 5 * 60;

export const mostPasskeys = 20;

/** The name of the sessions that begin with a passkey: they end when it is removed. */
export const passkeySessionName = (id: PasskeyId): string => `web session of passkey ${id}`;

/** Whether a signature is newer than those before. One that isn't may be of a copy of the authenticator. */
export const isNewerSignature = (before: number, counter: number): boolean =>
  counter > before || (counter === 0 && before === 0);

/** Where a browser may use a passkey: the page's origin, and the domain in whose name the passkey is made. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const isAddress = (hostname: string): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname);

/**
 * The relying party of a service at that address; null: browsers have no passkeys there. They need https and a name; on this
 * machine the name is localhost, whatever address the service listens on.
 */
export const relyingPartyOf = (address: string): RelyingParty | null => {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port, origin } = new URL(address);
  if (protocol === "https:") return isAddress(hostname) ? null : { id: hostname, origin };
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  if (!isLoopback) return null;
  return { id: "localhost", origin: `http://localhost${port === "" ? "" : `:${port}`}` };
};

export class PasskeysUnavailable extends refusal(
  "passkeys_unavailable",
  "unprocessable",
  "Passkeys need an https address with a name. Set SERVICE_PUBLIC_URL to it.",
) {}

/** Of a sign-in. */
export class PasskeyNotValid extends refusal(
  "passkey_not_valid",
  "unauthenticated",
  "This passkey could not be verified. Try again, or sign in another way.",
) {}

/** Of somebody who is signed in. */
export class PasskeyNotAccepted extends refusal(
  "passkey_not_accepted",
  "unprocessable",
  "This passkey could not be verified. Try again.",
) {}

export class PasskeyNotFound extends refusal("passkey_not_found", "not_found", "Passkey not found.") {}

export class PasskeyRegistered extends refusal(
  "passkey_registered",
  "conflict",
  "This passkey is registered already.",
) {}

export class TooManyPasskeys extends refusal(
  "too_many_passkeys",
  "conflict",
  `You have ${mostPasskeys} passkeys. Remove one first.`,
) {}

/** A program with a token has no authenticator. */
export class PasskeyNeedsSession extends refusal(
  "passkey_needs_session",
  "forbidden",
  "Passkeys need a web session. Sign in on the board page.",
) {}
