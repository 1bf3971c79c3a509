const mebibyte = 1024 * 1024;

/** Bytes of bodies that are in memory at once: parsed they need several times as much. */
const mostBytes = 32 * mebibyte;
/** Of one caller, so that bodies which never end do not block others. */
const mostOfCallerBytes = mostBytes / 4;
/** Of each body that are always read: a small call passes while large ones fill the room. */
const smallBytes = 64 * 1024;

/** The part of a request in the room. */
export interface BodyReservation {
  /** Takes room for bytes that have arrived; false: none is left. */
  take(bytes: number): boolean;
  /** Gives all of it back: the request is answered. */
  leave(): void;
}

/** Counts the bytes of bodies that requests in progress hold in memory. One per web server. */
export class BodyRoom {
  #bytes = 0;
  readonly #byCaller = new Map<string, number>();

  enter(caller: string): BodyReservation {
    let reserved = 0;
    return {
      take: (bytes) => {
        const ofCaller = (this.#byCaller.get(caller) ?? 0) + bytes;
        const fits = this.#bytes + bytes <= mostBytes && ofCaller <= mostOfCallerBytes;
        if (!fits && reserved + bytes > smallBytes) return false;
        reserved += bytes;
        this.#bytes += bytes;
        this.#byCaller.set(caller, ofCaller);
        return true;
      },
      leave: () => {
        if (reserved === 0) return;
        this.#bytes -= reserved;
        const remaining = (this.#byCaller.get(caller) ?? 0) - reserved;
        if (remaining > 0) this.#byCaller.set(caller, remaining);
        else this.#byCaller.delete(caller);
        reserved = 0;
      },
    };
  }
}
