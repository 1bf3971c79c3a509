import { Readable } from "node:stream";
import { BodyTooLarge, BodyUnwelcome, type HttpRequest, RequestAborted } from "./listener.ts";

/** The source of a body: node:http's request, or the engine's. */
export interface BodySource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

interface Body {
  readonly source: BodySource;
  readonly headers: HttpRequest["headers"];
  readonly departure: HttpRequest["departure"];
  /** Whether all of it has arrived. A source also ends when its client disconnects. */
  readonly isComplete: () => boolean;
}

/** Reads a request's body, whole or as a stream, the same for every source. */
export const bodyOf = (body: Body): Pick<HttpRequest, "readBody" | "streamBody" | "hasWholeBody"> => {
  let isRead = false;
  const claimOnce = (): void => {
    if (isRead) throw new Error("The request body was already read.");
    isRead = true;
  };
  return {
    streamBody: (limitBytes) => {
      claimOnce();
      return open(body, limitBytes);
    },
    readBody: async (limitBytes, hasRoom = () => true) => {
      claimOnce();
      return collect(body, limitBytes, hasRoom);
    },
    hasWholeBody: body.isComplete,
  };
};

/** Refuses a body by its headers alone; null: it may be read. */
const refusedUnread = ({ departure }: Body, declared: number, limitBytes: number): Error | null => {
  if (departure.isDeparted) return new RequestAborted("The client disconnected.");
  return declared > limitBytes ? tooLarge(limitBytes) : null;
};

const declaredBytes = ({ headers }: Body): number => Number(headers["content-length"] ?? 0);

const hasNone = ({ headers }: Body, declared: number): boolean =>
  declared === 0 && headers["transfer-encoding"] === undefined;

/** Collects a whole body without a stream between: most bodies are one small chunk. */
const collect = (body: Body, limitBytes: number, hasRoom: (bytes: number) => boolean): Promise<Buffer> => {
  const { source, isComplete } = body;
  const declared = declaredBytes(body);
  const refused = refusedUnread(body, declared, limitBytes);
  if (refused !== null) return Promise.reject(refused);
  if (hasNone(body, declared)) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let received = 0;
    let finished = false;
    const finish = (end: () => void): void => {
      if (finished) return;
      finished = true;
      ignoreDeparture();
      // An unread body is not read further.
      if (!isComplete()) source.pause();
      end();
    };
    const goneAway = () => finish(() => reject(brokenOff()));
    const ignoreDeparture = body.departure.onDeparted(goneAway);
    source.on("data", (chunk) => {
      if (finished) return;
      received += chunk.byteLength;
      if (received > limitBytes) finish(() => reject(tooLarge(limitBytes)));
      else if (!hasRoom(chunk.byteLength)) finish(() => reject(new BodyUnwelcome("No room is left.")));
      else chunks.push(chunk);
    });
    source.on("end", () => {
      if (isComplete()) finish(() => resolve(Buffer.concat(chunks)));
      else goneAway();
    });
    source.resume();
  });
};

const brokenOff = () => new RequestAborted("The client disconnected before the body was complete.");

const open = (body: Body, limitBytes: number): Readable => {
  const { source, isComplete } = body;
  const declared = declaredBytes(body);
  const refused = refusedUnread(body, declared, limitBytes);
  if (refused !== null) return broken(refused);
  if (hasNone(body, declared)) return Readable.from([]);

  let received = 0;
  const stream = new Readable({
    read: () => source.resume(),
    destroy: (error, done) => {
      ignoreDeparture();
      // An unread body is not read further.
      if (!isComplete()) source.pause();
      done(error);
    },
  });
  const ignoreDeparture = body.departure.onDeparted(() => stream.destroy(brokenOff()));
  source.on("data", (chunk) => {
    if (stream.destroyed) return;
    received += chunk.byteLength;
    if (received > limitBytes) stream.destroy(tooLarge(limitBytes));
    else if (!stream.push(chunk)) source.pause();
  });
  source.on("end", () => {
    if (isComplete()) stream.push(null);
    else stream.destroy(brokenOff());
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
