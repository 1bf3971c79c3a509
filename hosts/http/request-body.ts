import { Readable } from "node:stream";
import { BodyTooLarge, type HttpRequest, RequestAborted } from "./listener.ts";

/** The source of a body: node:http's request, or the engine's. */
export interface BodySource {
  on(event: "data", hear: (chunk: Uint8Array) => void): unknown;
  on(event: "end", hear: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

interface Body {
  readonly source: BodySource;
  readonly headers: HttpRequest["headers"];
  readonly aborted: AbortSignal;
  /** Whether all of it has arrived. A source also ends when its client disconnects. */
  readonly isComplete: () => boolean;
}

/** Reads a request's body, whole or as a stream, the same for every source. */
export const bodyOf = (body: Body): Pick<HttpRequest, "readBody" | "streamBody" | "hasWholeBody"> => {
  let taken = false;
  const streamBody = (limitBytes: number): Readable => {
    if (taken) throw new Error("The body of this request was taken already.");
    taken = true;
    return open(body, limitBytes);
  };
  return {
    streamBody,
    readBody: async (limitBytes) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of streamBody(limitBytes)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    hasWholeBody: body.isComplete,
  };
};

const open = ({ source, headers, aborted, isComplete }: Body, limitBytes: number): Readable => {
  const declared = Number(headers["content-length"] ?? 0);
  if (aborted.aborted) return broken(new RequestAborted("The client went away."));
  if (declared > limitBytes) return broken(tooLarge(limitBytes));
  if (declared === 0 && headers["transfer-encoding"] === undefined) return Readable.from([]);

  let received = 0;
  const goneAway = () =>
    stream.destroy(new RequestAborted("The client went away before its body was complete."));
  const stream = new Readable({
    read: () => source.resume(),
    destroy: (error, done) => {
      aborted.removeEventListener("abort", goneAway);
      // An unread body is not read further.
      if (!isComplete()) source.pause();
      done(error);
    },
  });
  aborted.addEventListener("abort", goneAway, { once: true });
  source.on("data", (chunk) => {
    if (stream.destroyed) return;
    received += chunk.byteLength;
    if (received > limitBytes) stream.destroy(tooLarge(limitBytes));
    else if (!stream.push(chunk)) source.pause();
  });
  source.on("end", () => {
    if (isComplete()) stream.push(null);
    else goneAway();
  });
  // Nothing flows until the stream is read.
  source.pause();
  return silently(stream);
};

const tooLarge = (limitBytes: number) => new BodyTooLarge(`The body is larger than ${limitBytes} bytes.`);

/** Fails when it is read, so that the reader can attach its listeners first. */
const broken = (error: Error): Readable => {
  const stream = new Readable({
    read: () => {
      stream.destroy(error);
    },
  });
  return silently(stream);
};

/** Keeps an error without a reader from ending the process. */
const silently = (stream: Readable): Readable => stream.on("error", () => {});
