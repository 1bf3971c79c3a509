import { request as httpsRequest } from "node:https";
import { judgedAddress } from "../../plugins/kit/judged-address.ts";
import type { VaultDeployment } from "./vault-settings.ts";

/** Vault's answer, or that of what stands in front of it. Its texts are passed on to nobody. */
export class VaultAnswered extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}
/** Vault was not asked: its address is missing or refused. */
export class VaultNotAsked extends Error {
  readonly reason: "not_configured" | "address_refused" | "address_mismatch" | "credentials_missing";
  constructor(reason: VaultNotAsked["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

export interface VaultRequest {
  readonly method: "GET" | "POST";
  /** Below `/v1/`, encoded. */
  readonly path: string;
  readonly namespace: string | null;
  readonly token: string | null;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

const timeoutMs = 30_000;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Sends one request to exactly the address that was judged. Follows no redirect: the token is Vault's alone. */
export const askVault = async (deployment: VaultDeployment, asked: VaultRequest): Promise<unknown> => {
  const { address, privateHosts } = deployment;
  if (address === null) throw new VaultNotAsked("not_configured");
  const host = address.hostname.replace(/^\[|\]$/g, "");
  const judged = await judgedAddress(host, privateHosts.has(host.toLowerCase()));
  if ("refused" in judged) throw new VaultNotAsked("address_refused");
  const text = asked.body === undefined ? null : JSON.stringify(asked.body);
  const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(timeoutMs)]);
  const { status, content } = await exchange(deployment, asked, { text, signal, judged });
  if (status < 200 || status > 299) throw new VaultAnswered(status);
  return content.length === 0 ? {} : JSON.parse(content.toString("utf8"));
};

interface Sent {
  readonly text: string | null;
  readonly signal: AbortSignal;
  readonly judged: { readonly address: string; readonly family: 4 | 6 };
}

const exchange = (
  { address, authorities, serverName }: VaultDeployment,
  { method, path, namespace, token }: VaultRequest,
  { text, signal, judged }: Sent,
): Promise<{ readonly status: number; readonly content: Buffer }> =>
  new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(`/v1/${path}`, address!),
      {
        method,
        signal,
        agent: false,
        ...(authorities === null ? {} : { ca: authorities }),
        ...(serverName === null ? {} : { servername: serverName }),
        headers: {
          "x-vault-request": "true",
          ...(token === null ? {} : { "x-vault-token": token }),
          ...(namespace === null ? {} : { "x-vault-namespace": namespace }),
          ...(text === null
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
        lookup: (_host, options, done) =>
          options.all
            ? done(null, [judged])
            : (done as (error: null, address: string, family: number) => void)(
                null,
                judged.address,
                judged.family,
              ),
      },
      (response) => {
        const pieces: Buffer[] = [];
        let length = 0;
        response.on("data", (piece: Buffer) => {
          length += piece.length;
          if (length > maxAnswerBytes) request.destroy(new Error("the answer is too large"));
          else pieces.push(piece);
        });
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, content: Buffer.concat(pieces) }),
        );
        response.once("error", reject);
      },
    );
    request.once("error", reject);
    request.end(text ?? undefined);
  });
