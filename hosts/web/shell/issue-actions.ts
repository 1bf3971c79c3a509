import { useLocation } from "wouter";
import { useRead } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { hasWayBack, useChangeIssue } from "../nouns/issues/change-issues.ts";
import { useIssueFields } from "../nouns/issues/issue-fields.tsx";
import { useToasts } from "../widgets/toasts.tsx";
import type { PaletteAction } from "./palette-action.ts";

/** The actions on the issue that the address names: what its fields may get. */
export const useIssueActions = (company: Company | null): readonly PaletteAction[] => {
  const [location] = useLocation();
  const [, , page, issueId = ""] = location.split("/");
  const isIssue = company !== null && page === "issues" && issueId !== "";
  const { data: issue } = useRead("issues.get", { issueId }, { enabled: isIssue });
  const fields = useIssueFields(company?.id ?? "", isIssue);
  const say = useToasts();
  const { change } = useChangeIssue({ onRefused: say.refused });
  if (!isIssue || !issue?.callerMay.update.allowed) return [];
  const { identifier } = issue;
  return fields
    .flatMap(({ choices }) => choices)
    .filter(({ isOf, isOpenTo }) => !isOf(issue) && (isOpenTo?.(issue) ?? true))
    .map(({ icon, changes, does, done }) => ({
      ...(hasWayBack(issue, changes) ? {} : { instead: { label: `Stay at ${identifier}`, to: location } }),
      key: does(identifier) + JSON.stringify(changes),
      isOfFound: true,
      label: does(identifier),
      icon,
      run: () => change(issue, changes, done(identifier)),
    }));
};
