import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import * as Redacted from "effect/Redacted";
import { clause } from "../../core/model/shared/sentence.ts";
import { HostUnusable } from "../../ports/code-stores.ts";
import type { KnownHost } from "../../ports/git-hosts.ts";

const limitMs = 20_000;
const answerMaxBytes = 5 * 2 ** 20;
const logMaxBytes = 20 * 2 ** 20;
/** Answers that are cached with their ETag, so that asking again costs the host nothing. */
const maxCached = 500;
const maxCachedBytes = 256 * 1024;

interface CachedAnswer {
  readonly etag: string;
  readonly body: Buffer;
}

/** Resolves the host, and refuses addresses that are never called. @throws HostUnusable */
export type CheckAddress = (url: URL, allowPrivate: boolean) => Promise<string>;

/** The last answers of hosts with their ETags. */
export type CachedAnswers = Map<string, CachedAnswer>;

export interface HostAnswer {
  readonly status: number;
  /** null: not JSON. */
  readonly json: unknown;
}

interface Call {
  readonly method?: "GET" | "POST";
  readonly body?: object;
}

/** The interface of one host: exactly its address, no redirects, within limits. */
export class HostApi {
  readonly #host: KnownHost;
  readonly #base: string;
  readonly #scheme: string;
  readonly #cached: CachedAnswers;
  readonly #checkAddress: CheckAddress;

  /** The scheme is the word before the token, such as `Bearer`. */
  constructor(
    host: KnownHost,
    base: string,
    scheme: string,
    cached: CachedAnswers,
    checkAddress: CheckAddress,
  ) {
    this.#checkAddress = checkAddress;
    this.#host = host;
    this.#base = base.replace(/\/$/, "");
    this.#scheme = scheme;
    this.#cached = cached;
  }

  /** @throws HostUnusable */
  async get(path: string): Promise<unknown> {
    const { status, json } = await this.call(path);
    if (status >= 400) throw this.#refused(status, json);
    if (json === null) throw this.#notTheInterface();
    return json;
  }

  /** All pages of a list, at most ten. */
  async list(path: string, pageSize: number, sizeName: string): Promise<readonly unknown[]> {
    const all: unknown[] = [];
    for (let page = 1; page <= 10; page++) {
      const mark = path.includes("?") ? "&" : "?";
      const rows = await this.get(`${path}${mark}${sizeName}=${pageSize}&page=${page}`);
      if (!Array.isArray(rows)) throw this.#notTheInterface();
      all.push(...rows);
      if (rows.length < pageSize) break;
    }
    return all;
  }

  /** The answer to a change, or why it is refused. @throws HostUnusable */
  async post(path: string, body: object): Promise<unknown> {
    const { status, json } = await this.call(path, { method: "POST", body });
    if (status >= 400) throw this.#refused(status, json);
    if (json === null) throw this.#notTheInterface();
    return json;
  }

  async call(path: string, { method = "GET", body }: Call = {}): Promise<HostAnswer> {
    const url = new URL(`${this.#base}${path}`);
    const key = `${this.#host.repositoryId} ${url.href}`;
    const cached = method === "GET" ? this.#cached.get(key) : undefined;
    const response = await this.#send(url, method, body, cached);
    const status = response.statusCode ?? 0;
    if (status === 304 && cached !== undefined) {
      response.destroy();
      this.#cached.delete(key);
      this.#cached.set(key, cached);
      return { status: 200, json: asJson(cached.body) };
    }
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new HostUnusable(
        "redirected",
        `${url.host} redirects to another address, and redirects are not followed.`,
      );
    }
    const read = await readBody(response, answerMaxBytes, false, url.host);
    const { etag } = response.headers;
    if (method === "GET" && status === 200 && etag !== undefined && read.length <= maxCachedBytes) {
      this.#cached.delete(key);
      this.#cached.set(key, { etag, body: read });
      for (const oldest of this.#cached.keys()) {
        if (this.#cached.size <= maxCached) break;
        this.#cached.delete(oldest);
      }
    }
    return { status, json: asJson(read) };
  }

  /**
   * The end of a log. Hosts keep logs elsewhere: one redirect is followed, without the credential, to an address that the
   * repository may call. null: it has none.
   */
  async logEnd(path: string, bytes: number): Promise<string | null> {
    const url = new URL(`${this.#base}${path}`);
    let response = await this.#send(url, "GET", undefined, undefined);
    const { location } = response.headers;
    if ((response.statusCode ?? 0) >= 300 && location !== undefined && URL.canParse(location, url.href)) {
      response.destroy();
      response = await this.#send(new URL(location, url), "GET", undefined, undefined, false);
    }
    if (response.statusCode !== 200) {
      response.destroy();
      return null;
    }
    return (await readBody(response, bytes, true, url.host)).toString();
  }

  async #send(
    url: URL,
    method: string,
    body: object | undefined,
    cached: CachedAnswer | undefined,
    withCredential = true,
  ): Promise<IncomingMessage> {
    const { allowPrivateHost, credential } = this.#host;
    if (!/^https?:$/.test(url.protocol)) throw this.#notTheInterface();
    const address = await this.#checkAddress(url, allowPrivateHost);
    const family = address.includes(":") ? 6 : 4;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(
        url,
        {
          method,
          agent: false,
          signal: AbortSignal.timeout(limitMs),
          headers: {
            accept: "application/json",
            "user-agent": "boardroom",
            ...(credential === null || !withCredential
              ? {}
              : { authorization: `${this.#scheme} ${tokenOf(Redacted.value(credential))}` }),
            ...(cached === undefined ? {} : { "if-none-match": cached.etag }),
            ...(payload === undefined
              ? {}
              : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
          },
          // Exactly the address that was judged.
          lookup: (_host, options, done) =>
            options.all
              ? done(null, [{ address, family }])
              : (done as (error: null, address: string, family: number) => void)(null, address, family),
        },
        resolve,
      );
      request.on("error", (error) => reject(failureOf(error, url.host)));
      request.end(payload);
    });
  }

  #notTheInterface(): HostUnusable {
    const { host } = new URL(this.#base);
    return new HostUnusable(
      "rejected",
      `${host} does not answer as a ${this.#host.kind} does at ${this.#base}.`,
    );
  }

  #refused(status: number, json: unknown): HostUnusable {
    const { host } = new URL(this.#base);
    const reported = messageOf(json);
    if (status === 401)
      return this.#host.credential === null
        ? new HostUnusable("credential_missing", `${host} asks for a credential (401).`)
        : new HostUnusable("credential_refused", `${host} refuses the credential (401).`);
    if (status === 429 || (status === 403 && /rate limit/i.test(reported)))
      return new HostUnusable("rejected", `${host} is rate limiting requests (${status}).`);
    if (status === 403)
      return new HostUnusable(
        "credential_refused",
        `${host} doesn't allow this with the credential (403)${clause(reported)}.`,
      );
    if (status === 404)
      return new HostUnusable("not_found", `Not found at ${host}, or the credential has no access (404).`);
    if (status >= 500) return new HostUnusable("unreachable", `${host} answers with an error (${status}).`);
    return new HostUnusable("rejected", `${host} refuses it (${status})${clause(reported)}.`);
  }
}

/** A credential may be a token, or a user with one. */
const tokenOf = (value: string): string => value.trim().replace(/^[^:]*:/, "");

const asJson = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
};

const messageOf = (json: unknown): string => {
  const { message, error, errors } = (json ?? {}) as Record<string, unknown>;
  const messages = [message ?? error, ...(Array.isArray(errors) ? errors : [])]
    .map((each) =>
      typeof each === "string" ? each : ((each as { message?: unknown } | null)?.message ?? ""),
    )
    .filter((each) => typeof each === "string" && each !== "")
    .join("; ")
    .replace(/\p{Cc}/gu, " ")
    .slice(0, 300);
  return messages === "" ? "" : `: ${messages}`;
};

const failureOf = (error: Error, host: string): HostUnusable => {
  const isLate = error.name === "TimeoutError" || error.name === "AbortError";
  return isLate
    ? new HostUnusable("timed_out", `${host} did not answer in time.`)
    : new HostUnusable("unreachable", `${host} cannot be reached: ${error.message}`);
};

/** The whole body, which may not be longer; or its end. */
const readBody = async (response: IncomingMessage, bytes: number, isEnd: boolean, host: string) => {
  let read = Buffer.alloc(0);
  let total = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > (isEnd ? logMaxBytes : bytes)) {
        response.destroy();
        if (!isEnd) throw new HostUnusable("too_large", `${host} answers with more than ${bytes} bytes.`);
        break;
      }
      read = Buffer.concat([read, chunk]);
      if (isEnd) read = read.subarray(-bytes);
    }
  } catch (error) {
    throw error instanceof HostUnusable ? error : failureOf(error as Error, host);
  }
  return read;
};
