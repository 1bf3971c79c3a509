/** Cuts a stream into lines. Returns false once a line exceeds the limit; reads nothing after it. */
export const messageLines = (maxBytes: number, onLine: (line: string) => void) => {
  let pieces: Buffer[] = [];
  let length = 0;
  return (chunk: Buffer): boolean => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, at));
      if (length + at - from > maxBytes) return false;
      const line = Buffer.concat(pieces).toString("utf8");
      pieces = [];
      length = 0;
      from = at + 1;
      onLine(line);
    }
    pieces.push(chunk.subarray(from));
    length += chunk.length - from;
    return length <= maxBytes;
  };
};
