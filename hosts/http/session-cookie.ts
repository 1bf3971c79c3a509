import { sessionLongestSec } from "../../core/model/access/web-session.ts";
import type { App } from "../api/endpoint/app.ts";
import type { HttpRequest } from "./listener.ts";

/**
 * The cookie's name differs per instance. Cookies ignore ports, so two instances on one machine would otherwise sign
 * each other out.
 */
const nameOf = ({ credentials }: Pick<App, "credentials">): string =>
  `boardroom_session_${Buffer.from(credentials.fingerprint(["session cookie"]))
    .toString("hex")
    .slice(0, 8)}`;

const cookieNamed = (name: string, header: string): string | null => {
  for (const part of header.split(";")) {
    const eq = part.indexOf("=");
    if (eq !== -1 && part.slice(0, eq).trim() === name) return part.slice(eq + 1).trim();
  }
  return null;
};

/** The session that a Cookie header names; null: none. */
export const sessionIn = (app: App, header: string): string | null => cookieNamed(nameOf(app), header);

/** The token or session cookie that a request is identified by; null: it has none. */
export const credentialOf = (app: App, { headers }: Pick<HttpRequest, "headers">): string | null =>
  headers.authorization ?? (headers.cookie === undefined ? null : sessionIn(app, headers.cookie));

/** The Set-Cookie that begins a session; null: ends it. */
export const sessionCookie = (app: App, session: string | null): string => {
  // The service ends the session; the cookie lasts as long as a session can.
  const age = session === null ? 0 : sessionLongestSec;
  // With an https address, browsers must send it only over https.
  const flags = app.service.address().startsWith("https:") ? "; Secure" : "";
  return `${nameOf(app)}=${session ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${flags}`;
};
