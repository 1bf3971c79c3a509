import { type Client, createClient } from "../../library/client.ts";
import { BoardroomError, ServiceUnreachable } from "../../library/client-error.ts";
// The build replaces this file by the table it computes: the declarations themselves never reach a browser.
import { declaredWire } from "../../library/declared-wire.ts";
import { httpTransport } from "../../library/http-transport.ts";
import type { ClientAnswer, ClientRequest } from "../../library/transport.ts";

/** Where the service is reached: the document's base, which a proxy may have put below a path. */
export const baseUrl = new URL(".", document.baseURI).href.replace(/\/+$/, "");

/** The CSRF token that a change by session cookie must carry. Never stored: a reload asks for it again. */
let csrfToken: string | null = null;
export const setCsrfToken = (token: string | null): void => {
  csrfToken = token;
};

const signedOut = new Set<() => void>();
/** Called when an answer says that the session is over. */
export const onSignedOut = (listener: () => void): (() => void) => {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
};

let isLeaving = false;
addEventListener("pagehide", () => {
  isLeaving = true;
});
addEventListener("pageshow", () => {
  isLeaving = false;
});

/** Whether a request is made as the page goes, and must outlive it. Browsers take 64 KiB of them. */
const outlives = (body: BodyInit | null | undefined): boolean =>
  (isLeaving || document.visibilityState === "hidden") && typeof body === "string" && body.length < 20_000;

const transport = httpTransport({
  baseUrl,
  token: null,
  fetch: (url, init) =>
    fetch(url, {
      ...init,
      keepalive: outlives(init?.body),
      headers: { ...init?.headers, ...(csrfToken === null ? {} : { "x-csrf-token": csrfToken }) },
    }),
});

const sentenceWithoutAnswer = (isRead: boolean, wasOnline: boolean): string => {
  if (isRead)
    return wasOnline ? "The service isn't responding." : "You're offline. This hasn't been loaded yet.";
  return wasOnline
    ? "The service isn't responding. Your change may or may not have been saved."
    : "You're offline. Nothing was sent.";
};

/** Says in the reader's words that no answer came. */
const withoutAnswer = (error: unknown, { method }: ClientRequest, wasOnline: boolean): unknown => {
  if (error instanceof ServiceUnreachable) error.message = sentenceWithoutAnswer(method === "GET", wasOnline);
  return error;
};

let verify: (() => Promise<void>) | null = null;
/** Verifies the person where a call is refused until they have; the call is then sent again. */
export const setVerification = (verifyPerson: () => Promise<void>): void => {
  verify = verifyPerson;
};

/** Where a refusal asks for a verification: whether the person has verified. Otherwise the refusal stays. */
const isVerifiedNow = async ({ body }: ClientAnswer): Promise<boolean> => {
  if (verify === null || typeof body !== "string" || !body.includes('"verification_required"')) return false;
  return verify().then(
    () => true,
    () => false,
  );
};

/** Every endpoint of the service: `client.issues.get({ issueId })`. */
export const client: Client = createClient(async (request) => {
  const wasOnline = navigator.onLine;
  const answer = await transport(request).catch((error: unknown) => {
    throw withoutAnswer(error, request, wasOnline);
  });
  if (answer.status === 403 && (await isVerifiedNow(answer))) return transport(request);
  if (answer.status === 401 && !request.name.startsWith("session.")) for (const each of signedOut) each();
  return answer;
}, declaredWire);

/** Exchanges a board token for a session cookie; the token is kept nowhere. */
export const signInByToken = async (token: string): Promise<void> => {
  const once = createClient(httpTransport({ baseUrl, token }), declaredWire);
  await once.session.create();
};

export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof BoardroomError && error.code === code;

/** Exchanges the code of a one-time link for a session cookie. */
export const signInByCode = async (code: string): Promise<void> => {
  await client.session.createByCode({ code });
};
