/** Takes pieces of any size and returns exact numbers of bytes. */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** At most `length` of them. */
  take(count: number): Buffer {
    const first = this.#pieces[0];
    if (first !== undefined && first.length >= count) {
      this.#length -= count;
      if (first.length === count) this.#pieces.shift();
      else this.#pieces[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    const taken: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const piece = this.#pieces[0];
      if (piece === undefined) break;
      const part = piece.subarray(0, missing);
      taken.push(part);
      missing -= part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    const all = Buffer.concat(taken);
    this.#length -= all.length;
    return all;
  }
}
