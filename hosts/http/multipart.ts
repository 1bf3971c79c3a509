import { type Readable, Transform } from "node:stream";
import busboy from "busboy";
import { BodyTooLarge, type HttpRequest } from "./listener.ts";

/** The one file of an upload, as its bytes arrive. */
export interface UploadedFile {
  /** The client's name without folders; undefined if absent. Safe only to display. */
  readonly filename: string | undefined;
  /** The client's type, in lower case and without parameters. Not checked against the bytes. */
  readonly contentType: string;
  /** Under back-pressure down to the socket. Fails with the error `readMultipart` rejects with. */
  readonly stream: Readable;
}

export interface MultipartOptions<Stored> {
  /** Names of the text fields that may come next to the file, each at most once. */
  readonly fields: readonly string[];
  readonly maxFileBytes: number;
  /** 64 KiB by default. */
  readonly maxFieldBytes?: number;
  /** Stores the file. Its promise must end when the stream fails. */
  readonly store: (file: UploadedFile) => Promise<Stored>;
  /** Undoes `store` if the upload is refused afterwards. */
  readonly discard?: (stored: Stored) => Promise<void>;
}

export interface Multipart<Stored> {
  readonly fields: Readonly<Record<string, string>>;
  readonly stored: Stored;
}

/** The body is not multipart/form-data (415). */
export class NotMultipart extends Error {
  override readonly name = "NotMultipart";
}
/** The multipart body is invalid: no boundary, a broken header, no end (400). */
export class MalformedMultipart extends Error {
  override readonly name = "MalformedMultipart";
}
/** An undeclared or repeated part (400). */
export class UnexpectedPart extends Error {
  override readonly name = "UnexpectedPart";
  /** The part's name; undefined if it has none. */
  readonly part: string | undefined;
  constructor(message: string, part: string | undefined) {
    super(message);
    this.part = part;
  }
}
/** There is no file part named `file` (400). */
export class FileMissing extends Error {
  override readonly name = "FileMissing";
}

/** Room for boundaries and part headers. */
const FRAMING_BYTES = 64 * 1024;

/**
 * Reads an upload: exactly one file, named `file`, and the declared text fields, in any order.
 *
 * Rejects with one of the classes above, with `BodyTooLarge` if the file or a field exceeds its limit, with
 * `RequestAborted` if the client disconnects, and with the error of `store`. Its promise ends after `store`, and leaves nothing
 * stored unless it succeeds.
 */
export const readMultipart = async <Stored>(
  request: HttpRequest,
  options: MultipartOptions<Stored>,
): Promise<Multipart<Stored>> => {
  const boundary = boundaryOf(request);
  const parser = parserFor(boundary, options);
  const body = request.streamBody(
    options.maxFileBytes + (options.fields.length + 1) * fieldLimit(options) + FRAMING_BYTES,
  );
  const delimiters = delimitersIn(body, boundary);
  let heard = 0;
  const fields: Record<string, string> = {};
  let storing: Promise<Stored> | undefined;
  let file: Readable | undefined;

  const parsed = new Promise<void>((resolve, reject) => {
    let failed = false;
    const fail = (error: Error) => {
      if (failed) return;
      failed = true;
      reject(error);
      body.unpipe(parser);
      body.destroy();
      file?.destroy(error);
      // Destroying it emits another error, of a missing end.
      parser.destroy();
    };
    const malformed = (cause: unknown) =>
      fail(new MalformedMultipart("The multipart body is malformed or incomplete.", { cause }));
    body.on("error", fail);
    parser.on("error", malformed);
    parser.on("close", () => {
      // The parser silently skips parts that are not form data.
      if (delimiters() > heard + 1)
        fail(new UnexpectedPart("The upload has a part that is not form data.", undefined));
      resolve();
    });

    parser.on("field", (name: string | undefined, value, { valueTruncated }) => {
      heard += 1;
      if (name === "file") fail(new FileMissing('The part "file" is not a file: it has no file name.'));
      else if (name === undefined || !options.fields.includes(name) || Object.hasOwn(fields, name))
        fail(new UnexpectedPart("The upload has an unknown field, or one field twice.", name));
      else if (valueTruncated) fail(new BodyTooLarge(`A field is larger than ${fieldLimit(options)} bytes.`));
      else fields[name] = value;
    });
    parser.on("file", (name: string | undefined, incoming, { filename, mimeType }) => {
      heard += 1;
      incoming.on("error", malformed);
      if (failed || name !== "file" || storing !== undefined) {
        incoming.resume();
        fail(new UnexpectedPart('The upload must have exactly one file, named "file".', name));
        return;
      }
      const stream = atMost(options.maxFileBytes);
      file = stream;
      stream.on("error", fail);
      incoming.pipe(stream);
      const store = async () => options.store({ filename, contentType: mimeType.toLowerCase(), stream });
      storing = store();
      storing.then(
        // Drains the rest of the file, so that the next parts can be read.
        () => stream.resume(),
        fail,
      );
    });
  });
  body.pipe(parser);

  try {
    await parsed;
    if (storing === undefined) throw new FileMissing('The upload has no file named "file".');
    return { fields, stored: await storing };
  } catch (error) {
    await (storing as Promise<Stored> | undefined)?.then(options.discard, () => {});
    throw error;
  }
};

const fieldLimit = ({ maxFieldBytes = 64 * 1024 }: { maxFieldBytes?: number }) => maxFieldBytes;

/** The boundary in the forms that RFC 2046 allows. */
const boundaryParameter =
  /;\s*boundary=(?:"([\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?])"|([\w'()+,\-./:=?]{1,70}))\s*(?:;|$)/i;

const boundaryOf = (request: HttpRequest): string => {
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw new NotMultipart("The body must be multipart/form-data.");
  const [, quoted, bare] = boundaryParameter.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw new MalformedMultipart("The multipart body has no boundary.");
  return boundary;
};

const parserFor = (boundary: string, options: { maxFieldBytes?: number }) =>
  busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    // Browsers send file names in UTF-8.
    defParamCharset: "utf8",
    // The parser reports a value at the limit as truncated, so the limit is one higher.
    limits: { fieldSize: fieldLimit(options) + 1, headerPairs: 32 },
  });

/** Counts the boundaries of a stream: one before each part, and one after the last. */
const delimitersIn = (body: Readable, boundary: string): (() => number) => {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let rest: Buffer = Buffer.from("\r\n");
  let count = 0;
  body.on("data", (chunk: Buffer) => {
    const text = Buffer.concat([rest, chunk]);
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) count += 1;
    rest = text.subarray(Math.max(0, text.length - delimiter.length + 1));
  });
  return () => count;
};

/** Passes bytes through, and fails above the limit. */
const atMost = (limitBytes: number): Transform => {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.byteLength;
      if (passed > limitBytes) done(new BodyTooLarge(`The file is larger than ${limitBytes} bytes.`));
      else done(null, chunk);
    },
  });
};
