import { ServiceUnreachable } from "./client-error.ts";
import type { ClientAnswer, Transport } from "./transport.ts";

export interface HttpTransportOptions {
  /** `http://127.0.0.1:3100`; a path before `/api` is preserved. */
  readonly baseUrl: string;
  /** A board token, an agent's key, or the token of a run; null: anonymous. */
  readonly token: string | null;
  /** Default: the platform's fetch. */
  readonly fetch?: typeof fetch;
}

/** Carries calls over HTTP, in Node and in browsers. */
export const httpTransport = ({
  baseUrl,
  token,
  fetch = globalThis.fetch,
}: HttpTransportOptions): Transport => {
  const base = baseUrl.replace(/(?<!\/)\/+$/, "");
  return async ({ method, path, query, headers, body, wantsFile, signal }) => {
    const text = new URLSearchParams(query).toString();
    let response: Response;
    try {
      response = await fetch(`${base}${path}${text === "" ? "" : `?${text}`}`, {
        method,
        headers: {
          ...headers,
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          // fetch sets the type of a form itself, with its boundary.
          ...(body === undefined || body instanceof FormData ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body),
        signal: signal ?? null,
        // Not "error": Node's fetch then forgets the signal when memory is collected (undici's issue 4627, in every
        // Node we run on), so that a follower of events would wait indefinitely after its signal.
        redirect: "manual",
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new ServiceUnreachable(base, reasonOf(error), error);
    }
    if (isRedirect(response)) {
      await response.body?.cancel();
      throw new ServiceUnreachable(base, "it redirects to another address");
    }
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: wantsFile && response.ok && response.body !== null ? response.body : await bodyOf(response, base),
    };
  };
};

/** The service never redirects: following a redirect would send the token to another server. */
export const isRedirect = ({ type, status }: { readonly type?: string; readonly status: number }): boolean =>
  type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);

/** Keeps streams; reads everything else here, so that an aborted answer counts as a broken connection. */
const bodyOf = async (response: Response, base: string): Promise<ClientAnswer["body"]> => {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body !== null) return response.body;
  try {
    return await response.text();
  } catch (error) {
    throw new ServiceUnreachable(base, "the response ended early", error);
  }
};

/** fetch reports only "fetch failed"; the reason is in the cause, or one for each address of the host. */
export const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return causeText(
    cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause,
  );
};

const causeText = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "ECONNREFUSED") return "nothing is listening there";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host was not found";
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET") return "the connection was lost";
  // A browser's message ends with a full stop or not; the sentence that it becomes part of has its own.
  return (message ?? String(error)).replace(/(?<!\.)\.+$/, "");
};
