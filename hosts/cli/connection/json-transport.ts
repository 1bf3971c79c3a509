import { ServiceUnreachable } from "../../library/client-error.ts";
import { httpTransport, isRedirect, reasonOf } from "../../library/http-transport.ts";
import type { ClientAnswer, ClientRequest, Transport } from "../../library/transport.ts";

/** As long as fetch waits for the beginning of an answer, and between its parts. */
const silentMs = 300_000;

/**
 * Carries calls over HTTP. Loading Node's fetch takes longer than a command may take: calls that send and receive JSON do
 * without it, files and streams of events use it.
 */
export const jsonTransport = ({ baseUrl, token }: { baseUrl: string; token: string | null }): Transport => {
  const base = baseUrl.replace(/\/+$/, "");
  const overFetch = httpTransport({ baseUrl, token });
  return async (request) => {
    if (!isJson(request)) return overFetch(request);
    try {
      const answer = await exchange(base, token, request);
      if (!isRedirect(answer)) return answer;
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      throw new ServiceUnreachable(base, reasonOf(error), error);
    }
    throw new ServiceUnreachable(base, "it redirects to another address");
  };
};

/** Not `instanceof FormData`: that name alone loads fetch. */
const isJson = ({ body, wantsFile, headers }: ClientRequest): boolean =>
  !wantsFile &&
  headers.accept !== "text/event-stream" &&
  (body === undefined || Object.getPrototypeOf(body) === Object.prototype);

const exchange = async (
  base: string,
  token: string | null,
  { method, path, query, headers, body, signal }: ClientRequest,
): Promise<ClientAnswer> => {
  const text = new URLSearchParams(query).toString();
  const url = new URL(`${base}${path}${text === "" ? "" : `?${text}`}`);
  const { request } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  const payload = body === undefined ? null : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: {
          ...headers,
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(payload === null
            ? method === "GET"
              ? {}
              : { "content-length": 0 }
            : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
        },
        timeout: silentMs,
        ...(signal === undefined ? {} : { signal }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", () => reject(new Error("the response ended early")));
        answer.once("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.once("timeout", () => sent.destroy(new Error(`no answer within ${silentMs / 1000} s`)));
    sent.once("error", reject);
    sent.end(payload ?? undefined);
  });
};
