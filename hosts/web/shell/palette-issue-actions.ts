import { useLocation } from "wouter";
import { issueStatuses } from "../../../core/issues/issue-status.ts";
import { useRead } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { displayOf } from "../parts/status.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { assigneeOf, unassigned, useAssignablesOf } from "./assignees.ts";
import { mayGo, useChangeIssue } from "./change-issues.ts";
import type { PaletteAction } from "./palette-action.ts";

/** The actions on the issue that the address names: assign it, move it. */
export const useIssueActions = (company: Company | null, enabled: boolean): readonly PaletteAction[] => {
  const [location] = useLocation();
  const [, , page, issueId = ""] = location.split("/");
  const isIssue = enabled && page === "issues" && issueId !== "";
  const { data: issue } = useRead("issues.get", { issueId }, { enabled: isIssue });
  const assignables = useAssignablesOf(company?.id ?? "", isIssue);
  const say = useToasts();
  const { change } = useChangeIssue({ onRefused: say.refused });
  if (!isIssue || !issue?.callerMay.update.allowed) return [];
  const { identifier } = issue;
  const assigneeId = assigneeOf(issue);
  return [
    ...assignables
      .filter(({ id }) => id !== assigneeId)
      .map(({ id, kind, name, fields }) => ({
        key: `assign ${id}`,
        label: `Assign ${identifier} to ${name}`,
        icon: kind === "person" ? ("user" as const) : ("bot" as const),
        run: () => change(issue, fields, `${name} has ${identifier} now.`),
      })),
    ...(assigneeId === null
      ? []
      : [
          {
            key: "assign nobody",
            label: `Assign ${identifier} to nobody`,
            icon: "user" as const,
            run: () => change(issue, unassigned, `Nobody has ${identifier} now.`),
          },
        ]),
    ...issueStatuses
      .filter((to) => mayGo(issue, to))
      .map((to) => {
        const { word, icon } = displayOf("issue", to);
        return {
          key: `move ${to}`,
          label: `Move ${identifier} to ${word}`,
          icon,
          run: () => change(issue, { status: to }, `${identifier} is ${word.toLowerCase()}.`),
        };
      }),
  ];
};
