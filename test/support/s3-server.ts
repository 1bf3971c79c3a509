import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

/** Implements the part of S3's protocol that the SDK uses, and refuses what S3 would refuse. */
export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Incomplete multipart uploads: their keys and start times. */
  readonly uploads: Map<string, { key: string; initiated: Date; parts: Map<number, Buffer> }>;
  /** Largest body of one request so far. */
  largestBody(): number;
  /** Makes the next requests fail with 503, as an overloaded service does. */
  failNext(times: number): void;
  /** Fails every request (`busy`), or cuts every connection (`gone`), until set to null. */
  outage(kind: "busy" | "gone" | null): void;
  /** Answers as a store does that is compatible only in part, until set to null. */
  habit(name: Habit | null): void;
  /** Cuts the connection after so many bytes of an object. */
  cutObjectsAfter(bytes: number | null): void;
  /** Closes the connections without a request, as S3 does after a while. */
  closeIdle(): void;
  stop(): Promise<void>;
}

export type Habit = "no checksums" | "no list of uploads" | "no ranges" | "no uploads in parts" | "read only";

export const startS3 = async (
  bucket: string,
  { host = "127.0.0.1", port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<S3Server> => {
  const objects = new Map<string, Buffer>();
  const uploads: S3Server["uploads"] = new Map();
  let [largest, failures] = [0, 0];
  let out: "busy" | "gone" | null = null;
  let cutAfter: number | null = null;
  let habit: Habit | null = null;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://s3");
    const raw: Buffer[] = [];
    for await (const piece of request) raw.push(piece as Buffer);
    const sent = Buffer.concat(raw);
    largest = Math.max(largest, sent.byteLength);
    const fail = (status: number, code: string) =>
      response
        .writeHead(status, { "content-type": "application/xml" })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    const xml = (body: string) =>
      response.writeHead(200, { "content-type": "application/xml" }).end(`<?xml version="1.0"?>${body}`);
    if (out === "gone") return request.socket.destroy();
    if (failures > 0 || out === "busy") {
      failures--;
      return fail(503, "SlowDown");
    }
    if (
      !/^AWS4-HMAC-SHA256 Credential=\S+, ?SignedHeaders=\S*host\S*, ?Signature=[0-9a-f]{64}$/.test(
        request.headers.authorization ?? "",
      )
    )
      return fail(403, "AccessDenied");
    const names = Object.keys(request.headers);
    if (
      habit === "no checksums" &&
      names.some((name) => /^x-amz-(checksum-|trailer|sdk-checksum|decoded)/.test(name))
    )
      return fail(501, "NotImplemented");
    if (habit === "no list of uploads" && request.method === "GET" && url.searchParams.has("uploads"))
      return fail(501, "NotImplemented");
    if (habit === "no uploads in parts" && url.searchParams.has("uploads"))
      return fail(501, "NotImplemented");
    if (habit === "read only" && request.method === "PUT") return fail(403, "AccessDenied");
    const [, inBucket, ...rest] = decodeURIComponent(url.pathname).split("/");
    if (inBucket !== bucket) return fail(404, "NoSuchBucket");
    const key = rest.join("/");
    const body = unframed(request, sent);
    if (body === null) return fail(400, "BadDigest");
    const uploadId = url.searchParams.get("uploadId");
    const upload = uploadId === null ? undefined : uploads.get(uploadId);
    if (uploadId !== null && upload === undefined) return fail(404, "NoSuchUpload");
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;

    switch (request.method) {
      case "PUT":
        if (upload === undefined) objects.set(key, body);
        else upload.parts.set(Number(url.searchParams.get("partNumber")), body);
        return response.writeHead(200, { etag }).end();
      case "POST": {
        if (url.searchParams.has("uploads")) {
          const id = randomUUID();
          uploads.set(id, { key, initiated: new Date(), parts: new Map() });
          return xml(
            `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
          );
        }
        const parts = [...upload!.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
        if (parts.slice(0, -1).some((part) => part.byteLength < 5 * 1024 * 1024))
          return fail(400, "EntityTooSmall");
        objects.set(key, Buffer.concat(parts));
        uploads.delete(uploadId!);
        return xml(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`);
      }
      case "DELETE":
        if (uploadId === null) objects.delete(key);
        else uploads.delete(uploadId);
        return response.writeHead(204).end();
      case "GET": {
        if (url.searchParams.has("uploads"))
          return xml(
            `<ListMultipartUploadsResult>${[...uploads]
              .map(
                ([id, { key, initiated }]) =>
                  `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
              )
              .join("")}</ListMultipartUploadsResult>`,
          );
        const object = objects.get(key);
        if (object === undefined) return fail(404, "NoSuchKey");
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
        if (cutAfter !== null) {
          response
            .writeHead(200, { "content-length": object.byteLength })
            .write(object.subarray(0, cutAfter));
          return setTimeout(() => response.destroy(), 50);
        }
        if (from === undefined || habit === "no ranges")
          return response.writeHead(200, { "content-length": object.byteLength }).end(object);
        if (Number(from) >= object.byteLength) return fail(416, "InvalidRange");
        return response.writeHead(206).end(object.subarray(Number(from), Number(to) + 1));
      }
      default:
        return fail(405, "MethodNotAllowed");
    }
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    uploads,
    largestBody: () => largest,
    failNext: (times) => {
      failures = times;
    },
    outage: (kind) => {
      out = kind;
    },
    habit: (name) => {
      habit = name;
    },
    cutObjectsAfter: (bytes) => {
      cutAfter = bytes;
    },
    closeIdle: () => server.closeIdleConnections(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Returns the object from the request's framing; null where a checksum or a length does not match. */
const unframed = (request: IncomingMessage, sent: Buffer): Buffer | null => {
  const { headers } = request;
  const isFramed = /aws-chunked/.test(headers["content-encoding"] ?? "");
  const { body, trailers } = isFramed ? chunksOf(sent) : { body: sent, trailers: new Map<string, string>() };
  const declared = headers["x-amz-decoded-content-length"];
  if (isFramed && Number(declared) !== body.byteLength) return null;
  const sum = headers["x-amz-checksum-crc32"] ?? trailers.get("x-amz-checksum-crc32");
  if (isFramed && headers["x-amz-trailer"] !== undefined && sum === undefined) return null;
  if (sum !== undefined) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body));
    if (bytes.toString("base64") !== sum) return null;
  }
  const hash = headers["x-amz-content-sha256"];
  if (typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash))
    if (createHash("sha256").update(sent).digest("hex") !== hash) return null;
  return body;
};

/** `size[;chunk-signature=…]\r\nbytes\r\n … 0\r\ntrailer:value\r\n\r\n`. */
const chunksOf = (sent: Buffer): { body: Buffer; trailers: Map<string, string> } => {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = sent.indexOf("\r\n", at);
    const size = Number.parseInt(sent.subarray(at, end).toString("latin1").split(";")[0]!, 16);
    at = end + 2;
    if (size === 0) break;
    pieces.push(sent.subarray(at, at + size));
    at += size + 2;
  }
  const lines = sent.subarray(at).toString("latin1").split("\r\n").filter(Boolean);
  return {
    body: Buffer.concat(pieces),
    trailers: new Map(lines.map((line) => line.split(":", 2).map((part) => part.trim()) as [string, string])),
  };
};
