import { priorities } from "../../../../core/model/issues/issue-status.ts";

/** Priorities to choose from in a `SelectField`. */
export const priorityOptions = priorities.map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}));
