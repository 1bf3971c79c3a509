import { createHash, randomBytes } from "node:crypto";
import type { RawAnswer } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

export interface OauthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** The headers of a browser that is signed in. */
export type Browser = { token: null; headers: Record<string, string> };

export const browserOf = (answer: RawAnswer): Browser => {
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  const cookie = answer.headers.get("set-cookie")!.split(";")[0]!;
  return { token: null, headers: { cookie, "x-csrf-token": answer.body.csrfToken } };
};

/** A verifier, which a client shows for its code, and its challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};

const sent = async (url: string, init: RequestInit): Promise<OauthAnswer> => {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
};

export const register = (
  url: string,
  metadata: object = { client_name: "Claude", redirect_uris: ["http://127.0.0.1:1/callback"] },
): Promise<OauthAnswer> =>
  sent(`${url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });

export const postForm = (
  url: string,
  path: string,
  fields: Readonly<Record<string, string>> | string,
): Promise<OauthAnswer> =>
  sent(url + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
  });

export const outcomeOf = ({ status, body }: OauthAnswer): string =>
  body?.error === undefined ? `${status}` : `${status} ${body.code ?? body.error}`;
