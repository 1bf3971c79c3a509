import type { AnswerOf, RowOf } from "./calls.ts";

/** Answers of the interface, by the noun: the records that several files of the page show. */
export type Company = AnswerOf<"companies.list">[number];
export type Issue = AnswerOf<"issues.get">;
export type IssueChanges = AnswerOf<"issues.changes">[number];
export type IssueDocument = RowOf<"documents.list">;
export type Interaction = RowOf<"interactions.list">;
export type Agent = AnswerOf<"agents.get">;
export type Approval = AnswerOf<"approvals.get">;
export type Run = AnswerOf<"runs.get">;
export type Routine = AnswerOf<"routines.get">;
