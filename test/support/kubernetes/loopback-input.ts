/** Reads the frames of a client of a WebSocket (RFC 6455) whose first byte names a stream, however they are cut. */
export const unframed = (onPiece: (stream: number, piece: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      const [first = 0, second = 0] = rest;
      if (first !== 0x82 || (second & 0x80) === 0) throw new Error("It is no masked binary frame.");
      const short = second & 0x7f;
      const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
      const start = 2 + lengthBytes + 4;
      if (rest.length < start) return;
      const length =
        lengthBytes === 0
          ? short
          : lengthBytes === 2
            ? rest.readUInt16BE(2)
            : Number(rest.readBigUInt64BE(2));
      if (rest.length < start + length) return;
      const mask = rest.subarray(start - 4, start);
      const body = Buffer.from(rest.subarray(start, start + length));
      for (let i = 0; i < length; i += 1) body[i] = (body[i] ?? 0) ^ (mask[i % 4] ?? 0);
      rest = rest.subarray(start + length);
      onPiece(body[0] ?? -1, body.subarray(1));
    }
  };
};
