/** An engine answered with a refusal; a sentence of its own. */
export class RefusedByEngine extends Error {
  /** Whether the same request may succeed soon. */
  readonly passing: boolean;
  constructor(message: string, passing: boolean) {
    super(message);
    this.passing = passing;
  }
}
