import { refusal } from "./failure.ts";

/**
 * The maximum number of records that agents can create and that a read returns all at once: in a list without pages, in a
 * record that contains them, or in an inbox that sorts them. Paged lists need no bound.
 */
export const bounds = {
  openApprovals: { most: 50, sentence: "An agent has at most 50 requests that wait for a decision." },
  openInteractions: { most: 50, sentence: "An agent has at most 50 interactions that wait for an answer." },
  approvalRounds: { most: 50, sentence: "An approval is resubmitted at most 50 times. Ask in a new one." },
  approvalIssues: { most: 100, sentence: "An approval is linked to at most 100 issues." },
  issuesOfPerson: {
    most: 1_000,
    sentence: "The person has 1,000 open issues: agents assign no more to them.",
  },
  blockedIssues: { most: 500, sentence: "An issue blocks at most 500 others." },
  documents: { most: 200, sentence: "An issue has at most 200 documents." },
  labels: { most: 1_000, sentence: "A company has at most 1,000 labels." },
  routinesOfAgent: {
    most: 200,
    sentence: "An agent creates at most 200 routines, with archived ones. Change one of them.",
  },
  triggers: { most: 100, sentence: "A routine has at most 100 triggers." },
} as const satisfies Readonly<Record<string, { readonly most: number; readonly sentence: string }>>;

export type Bound = keyof typeof bounds;

/** Details: `{ bound, most }`. */
export class TooManyRecords extends refusal(
  "too_many_records",
  "conflict",
  "There are as many of these as there may be.",
) {
  static readonly of = (bound: Bound): TooManyRecords =>
    new TooManyRecords({ bound, most: bounds[bound].most }, bounds[bound].sentence);
}
