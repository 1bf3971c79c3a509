/** A word that completes what was typed, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly words: string;
}
