/** Before each piece of a log: which stream, and the length of the piece in the last four bytes. */
const headerBytes = 8;

/** The bytes of a container's log, which the engine sends in pieces with headers. The streams are not distinguished. */
export async function* withoutHeaders(log: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let header: Buffer = Buffer.alloc(0);
  let left = 0;
  for await (const chunk of log) {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const wanted = headerBytes - header.length;
        header = Buffer.concat([header, rest.subarray(0, wanted)]);
        rest = rest.subarray(wanted);
        if (header.length < headerBytes) break;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const piece = rest.subarray(0, left);
      left -= piece.length;
      rest = rest.subarray(piece.length);
      yield piece;
    }
  }
}
