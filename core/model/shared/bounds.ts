import { refusal } from "./failure.ts";

/**
 * The maximum number of records that agents can create and that a read returns all at once: in a list without pages, in a
 * record that contains them, or in an inbox that sorts them. Paged lists need no bound.
 */
export const bounds = {
  openApprovals: { most: 50, sentence: "An agent can have at most 50 undecided requests." },
  openInteractions: { most: 50, sentence: "An agent can have at most 50 unanswered interactions." },
  approvalRounds: {
    most: 50,
    sentence: "An approval can be resubmitted at most 50 times. Request a new one.",
  },
  approvalIssues: { most: 100, sentence: "An approval can be linked to at most 100 issues." },
  issuesOfPerson: {
    most: 1_000,
    sentence: "This person has 1,000 open issues. Agents can't assign more.",
  },
  blockedIssues: { most: 500, sentence: "An issue can block at most 500 others." },
  documents: { most: 200, sentence: "An issue can have at most 200 documents." },
  labels: { most: 1_000, sentence: "A company can have at most 1,000 labels." },
  routinesOfAgent: {
    most: 200,
    sentence: "An agent can create at most 200 routines, including archived ones. Change an existing one.",
  },
  eventSubscriptions: { most: 50, sentence: "A company can have at most 50 event subscriptions." },
  triggers: { most: 100, sentence: "A routine can have at most 100 triggers." },
} as const satisfies Readonly<Record<string, { readonly most: number; readonly sentence: string }>>;

export type Bound = keyof typeof bounds;

/** Details: `{ bound, most }`. */
export class TooManyRecords extends refusal("too_many_records", "conflict", "The limit has been reached.") {
  static readonly of = (bound: Bound): TooManyRecords =>
    new TooManyRecords({ bound, most: bounds[bound].most }, bounds[bound].sentence);
}
