import { Agent, type ClientRequestArgs, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import * as Effect from "effect/Effect";
import { onlyAt } from "../../plugins/kit/judged-address.ts";
import type { OutboundAnswer, OutboundPost, OutboundPosts } from "../../ports/outbound-posts.ts";
import { addressOfHost } from "./judged-host.ts";

const timeoutMs = 15_000;
const mostRedirects = 3;
/** How long a connection is kept for the next request. */
const idleMs = 2_000;
/** How much of an answer is read, in bytes. */
const answerBytes = 4_096;

/** `privateHosts`: names and addresses on this machine or in private networks that may be called, in lower case. */
export const outboundPosts = (privateHosts: ReadonlySet<string>): OutboundPosts => ({
  post: (post) =>
    Effect.promise(async (stopped) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return await follow(post, privateHosts, AbortSignal.any([timeout, stopped]));
      } catch (error) {
        const text = timeout.aborted
          ? `There was no answer within ${timeoutMs / 1_000} seconds.`
          : (error as Error).message;
        return { status: null, text };
      }
    }),
  refusal: (url) =>
    Effect.promise(() =>
      addressOfHost(new URL(url), privateHosts).then(
        () => null,
        (error: Error) => error.message,
      ),
    ),
});

const follow = async (
  post: OutboundPost,
  privateHosts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<OutboundAnswer> => {
  let url = new URL(post.url);
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, await addressOfHost(url, privateHosts), post, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    const isRedirect = (status === 307 || status === 308) && location !== undefined;
    if (!isRedirect || post.followsRedirects === false) return { status, text: await beginningOf(response) };
    response.destroy();
    if (redirects === mostRedirects)
      throw new Error(`${url.host} redirects more than ${mostRedirects} times.`);
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (next === null || !/^https?:$/.test(next.protocol))
      throw new Error(`${url.host} redirects to something that is no http or https address.`);
    if (url.protocol === "https:" && next.protocol === "http:")
      throw new Error(`${url.host} redirects from https to http, which isn't followed.`);
    url = next;
  }
};

type Address = { readonly address: string; readonly family: 4 | 6 };

/** Reuses a connection only for the address that was judged: a name that resolves elsewhere by now gets a new one. */
const nameWithAddress = (name: string, options: ClientRequestArgs = {}) =>
  `${name}:${(options as { judged?: string }).judged}`;

class JudgedAgent extends Agent {
  override getName(options?: ClientRequestArgs): string {
    return nameWithAddress(super.getName(options), options);
  }
}

class JudgedHttpsAgent extends HttpsAgent {
  override getName(options?: ClientRequestArgs): string {
    return nameWithAddress(super.getName(options), options);
  }
}

/** Many events go to few receivers, one after the other. */
const reuse = { keepAlive: true, keepAliveMsecs: 1_000, maxFreeSockets: 32, timeout: idleMs };
const agents = { "http:": new JudgedAgent(reuse), "https:": new JudgedHttpsAgent(reuse) };

const send = (
  url: URL,
  address: Address,
  { headers, body }: OutboundPost,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const attempt = (agent: Agent | false) => {
      const options = {
        method: "POST",
        signal,
        agent,
        judged: address.address,
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        lookup: onlyAt(address),
      };
      const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, options, resolve);
      request.on("error", (error) => {
        // The receiver has closed the connection since its last request.
        if (request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test((error as NodeJS.ErrnoException).code ?? ""))
          attempt(false);
        else reject(new Error(`${url.host} can't be reached: ${error.message}`));
      });
      request.end(body);
    };
    attempt(agents[url.protocol as keyof typeof agents]);
  });

const beginningOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= answerBytes) break;
  }
  response.destroy();
  const text = Buffer.concat(chunks).subarray(0, answerBytes).toString("utf8");
  // A column of text stores no NUL.
  return text.replaceAll("\u0000", "\ufffd");
};
