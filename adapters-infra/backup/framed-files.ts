import { createHash } from "node:crypto";
import { changed } from "./backup-unusable.ts";
import type { PartWriter } from "./part-writer.ts";

/** Bytes of one frame. */
const frameBytes = 1024 * 1024;

/** Files of any length as frames in parts: a length, a header as JSON, a length, the bytes. The last frame of a file has its hash. */
interface FrameHeader {
  readonly name: string;
  readonly end?: { readonly bytes: number; readonly sha256: string } & FileAttributes;
}

/** The attributes of a file. */
export interface FileAttributes {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly modifiedMs?: number;
}

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** Appends a file. */
export const writeFramed = async (
  parts: PartWriter,
  name: string,
  source: AsyncIterable<Uint8Array>,
  attributes: FileAttributes = {},
): Promise<StoredFile> => {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    bytes += piece.byteLength;
    for (let at = 0; at < piece.byteLength; at += frameBytes)
      await parts.add(frame({ name }, Buffer.from(piece.subarray(at, at + frameBytes))));
  }
  const stored = { bytes, sha256: hash.digest("hex") };
  await parts.add(frame({ name, end: { ...attributes, ...stored } }, Buffer.alloc(0)));
  return stored;
};

const frame = (header: FrameHeader, data: Buffer): Buffer => {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(data.length, 4);
  return Buffer.concat([lengths, text, data]);
};

/** A file that is being read from parts. Its bytes must be read to their end before the next file is. */
export interface FramedFile {
  readonly name: string;
  readonly data: AsyncIterable<Buffer>;
  /** Known once the bytes are read. */
  end(): FileAttributes & StoredFile;
}

/** Reads the files of the parts in their order, and checks the hash of each. */
export async function* readFramed(parts: AsyncIterable<Buffer>): AsyncGenerator<FramedFile, void> {
  const frames = framesOf(parts);
  let next = await frames.next();
  while (!next.done) {
    const { name } = next.value.header;
    let ended = null as NonNullable<FrameHeader["end"]> | null;
    const data = async function* (): AsyncGenerator<Buffer, void> {
      const hash = createHash("sha256");
      let bytes = 0;
      while (!next.done) {
        const { header, data: piece } = next.value;
        if (header.name !== name) throw changed();
        hash.update(piece);
        bytes += piece.length;
        if (header.end === undefined) {
          yield piece;
          next = await frames.next();
          continue;
        }
        if (header.end.bytes !== bytes || header.end.sha256 !== hash.digest("hex")) throw changed();
        ended = header.end;
        next = await frames.next();
        return;
      }
      throw changed();
    };
    yield {
      name,
      data: data(),
      end: () => {
        if (ended === null) throw new Error("the file was not read to its end");
        return ended;
      },
    };
    if (ended === null) throw new Error(`${name} was not read to its end`);
  }
}

interface Frame {
  readonly header: FrameHeader;
  readonly data: Buffer;
}

/** No frame is divided between parts. */
async function* framesOf(parts: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  for await (const part of parts) {
    let at = 0;
    while (at < part.length) {
      if (part.length - at < 8) throw changed();
      const headerEnd = at + 8 + part.readUInt32BE(at);
      const end = headerEnd + part.readUInt32BE(at + 4);
      if (end > part.length) throw changed();
      yield {
        header: headerOf(part.toString("utf8", at + 8, headerEnd)),
        data: part.subarray(headerEnd, end),
      };
      at = end;
    }
  }
}

const headerOf = (text: string): FrameHeader => {
  try {
    const header = JSON.parse(text) as FrameHeader;
    if (typeof header.name === "string") return header;
  } catch {
    // Below.
  }
  throw changed();
};
