import { callerMayOf } from "../access/caller-may.ts";
import { refusalOfBudget } from "./project.ts";

/** The actions that a reader may take on the project. Nothing of its state refuses a change of it. */
export const projectActions = callerMayOf<"project", null>("project", {
  update: null,
  setBudget: (_, by) => refusalOfBudget(by),
  archive: null,
  manageRepositories: null,
  manageGates: null,
});
