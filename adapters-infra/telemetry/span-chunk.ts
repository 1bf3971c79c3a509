const chunkBytes = 65_536;
/** The most bytes that UTF-8 needs for one unit of a string's length. */
const mostBytesPerUnit = 3;

/**
 * Ended spans as bytes of JSON with commas between them. Thousands of texts that wait for the next export would cost the
 * garbage collector more than it costs to write them.
 */
export class SpanChunk {
  readonly #bytes: Buffer;
  #length: number;
  #isOpen = true;

  constructor(first: string) {
    const most = first.length * mostBytesPerUnit;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, most));
    this.#length = this.#bytes.write(first);
  }

  /** Returns false if the span does not fit or the chunk has been taken. */
  add(span: string): boolean {
    const at = this.#length;
    if (!this.#isOpen || at + 1 + span.length * mostBytesPerUnit > this.#bytes.length) return false;
    this.#bytes[at] = comma;
    this.#length = at + 1 + this.#bytes.write(span, at + 1);
    return true;
  }

  /** Takes the spans of the chunk, which then accepts no more. */
  take(): Uint8Array {
    this.#isOpen = false;
    return this.#bytes.subarray(0, this.#length);
  }
}

const comma = ",".charCodeAt(0);
