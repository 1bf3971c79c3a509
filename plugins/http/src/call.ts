import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { onlyAt } from "../../kit/judged-address.ts";
import type { CheckedAddress } from "./guard.ts";

export interface Call {
  readonly url: URL;
  readonly address: CheckedAddress;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
  /** Called when the whole request has gone out. */
  readonly onSent?: () => void;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Limit of the part of an answer that is read. */
const maxAnswerBytes = 1024 * 1024;

/** Calls the checked address, whatever the name resolves to now; follows no redirects. */
export const call = ({ url, address, method, headers, body, signal, onSent }: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        method,
        signal,
        agent: false,
        headers: {
          ...(body === null
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          ...headers,
        },
        lookup: onlyAt(address),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = () => {
          const bytes = Buffer.concat(chunks).subarray(0, maxAnswerBytes);
          resolve({ status: response.statusCode ?? 0, text: bytes.toString("utf8") });
        };
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size < maxAnswerBytes) return;
          finish();
          response.destroy();
        });
        response.on("end", finish);
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    if (onSent !== undefined) request.on("finish", onSent);
    request.end(body ?? undefined);
  });
