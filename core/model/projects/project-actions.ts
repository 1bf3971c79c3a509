import { callerMayOf } from "../access/caller-may.ts";
import { type Project, refusalOfBudget, refusalOfNewWork } from "./project.ts";

/** The actions that a reader may take on the project. Nothing of its state refuses a change of it. */
export const projectActions = callerMayOf<"project", Pick<Project, "archivedAt">>("project", {
  update: null,
  createIssue: ({ archivedAt }) => refusalOfNewWork(archivedAt !== null),
  setBudget: (_, by) => refusalOfBudget(by),
  archive: null,
  manageRepositories: null,
  manageGates: null,
});
