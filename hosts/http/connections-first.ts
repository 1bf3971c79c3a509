/**
 * How many connections are accepted for each request that begins meanwhile. Accepting and refusing four costs about as
 * much as a request, so that half of the time is for work however many connect.
 */
const connectionsPerRequest = 4;

/**
 * Lets new connections in before requests begin. A turn of libuv's event loop accepts one connection. If it also did
 * the work of a request, the others would wait in the kernel for as long as their work takes, where no limit sees them
 * and health has no answer. One per listening server.
 */
export class ConnectionsFirst {
  readonly #waiting: (() => void)[] = [];
  /** The present turn has accepted a connection. */
  #hasAccepted = false;
  /** The last turn had, or requests wait. */
  #isHolding = false;
  #accepted = 0;

  /** To be called for each accepted connection. */
  accepted(): void {
    this.#hasAccepted = true;
    this.#accepted++;
    if (!this.#isHolding) this.#hold();
  }

  /** Resolves when a request may begin; null: at once. */
  passed(): Promise<void> | null {
    return this.#isHolding ? new Promise((resolve) => this.#waiting.push(resolve)) : null;
  }

  #hold(): void {
    this.#isHolding = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    const isPressed = this.#hasAccepted;
    this.#hasAccepted = this.#isHolding = false;
    if (isPressed) this.#hold();
    const begin = !isPressed ? this.#waiting.length : this.#accepted % connectionsPerRequest === 0 ? 1 : 0;
    for (const pass of this.#waiting.splice(0, begin)) pass();
  }
}
