import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { AuthorizationNotValid } from "../../core/model/access/assistant.ts";
import { type ClientMetadata, documentOf } from "../../core/model/access/client-metadata.ts";
import { onlyAt } from "../../plugins/kit/judged-address.ts";
import type { ClientDocuments } from "../../ports/client-documents.ts";
import { addressOfHost } from "./judged-host.ts";

const timeoutMs = 5_000;
const mostBytes = 5 * 1_024;
const mostCached = 200;
const longestSec = 24 * 60 * 60;
/** For a document whose headers say nothing. */
const defaultSec = 5 * 60;

interface Cached {
  readonly client: ClientMetadata;
  readonly until: number;
}

/** Reads documents of clients, and remembers sound ones. */
export const clientDocuments = (privateHosts: ReadonlySet<string>): ClientDocuments => {
  const cache = new Map<string, Cached>();
  const remember = (clientId: string, client: ClientMetadata, seconds: number) => {
    cache.delete(clientId);
    if (seconds > 0) cache.set(clientId, { client, until: performance.now() + seconds * 1_000 });
    if (cache.size > mostCached) cache.delete(cache.keys().next().value!);
  };
  return {
    read: (clientId) => {
      const known = cache.get(clientId);
      if (known !== undefined && known.until > performance.now()) return Effect.succeed(known.client);
      return Effect.tryPromise({
        try: async (stopped) => {
          const url = new URL(clientId);
          const { document, freshSec } = await get(url, privateHosts, stopped);
          const client = Result.getOrThrowWith(
            documentOf(clientId, document),
            ({ message }) => new Error(`The document isn't valid. ${message}`),
          );
          remember(clientId, client, freshSec);
          return client;
        },
        catch: (error) =>
          new AuthorizationNotValid(
            undefined,
            `The assistant's document at ${clientId.slice(0, 200)} can't be used: ${(error as Error).message}`,
          ),
      });
    },
  };
};

const get = async (url: URL, privateHosts: ReadonlySet<string>, stopped: AbortSignal) => {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const signal = AbortSignal.any([timeout, stopped]);
    const response = await send(url, await addressOfHost(url, privateHosts), signal);
    const text = await bodyOf(response, url.host);
    return { document: recordIn(text), freshSec: freshSecOf(response.headers["cache-control"]) };
  } catch (error) {
    if (timeout.aborted) throw new Error(`there was no answer within ${timeoutMs / 1_000} seconds.`);
    throw error;
  }
};

const send = (
  url: URL,
  address: { readonly address: string; readonly family: 4 | 6 },
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { accept: "application/json" };
    const sent = request(url, { signal, agent: false, headers, lookup: onlyAt(address) }, resolve);
    sent.on("error", (error) => reject(new Error(`${url.host} can't be reached: ${error.message}`)));
    sent.end();
  });

/** A redirect is an answer like any other: only the address itself speaks for the client. */
const bodyOf = async (response: IncomingMessage, host: string): Promise<string> => {
  const { statusCode, headers } = response;
  try {
    if (statusCode !== 200) throw new Error(`${host} answered ${statusCode}.`);
    if (!/^application\/([\w.-]+\+)?json\b/i.test(headers["content-type"] ?? ""))
      throw new Error("it isn't JSON.");
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response) {
      length += chunk.length;
      if (length > mostBytes) throw new Error(`it has more than ${mostBytes / 1_024} KB.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    response.destroy();
  }
};

const recordIn = (text: string): Readonly<Record<string, unknown>> => {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error("it isn't JSON.");
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw new Error("it isn't a JSON object.");
  return document as Readonly<Record<string, unknown>>;
};

/** How long an answer counts, by its headers. */
const freshSecOf = (cacheControl = ""): number => {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const age = /\bmax-age=(\d+)/i.exec(cacheControl)?.[1];
  return age === undefined ? defaultSec : Math.min(Number(age), longestSec);
};
