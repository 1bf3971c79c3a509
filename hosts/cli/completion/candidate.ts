/** A completion of what was typed, with its description. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}
