import { visibleText } from "../../../../core/model/shared/visible-text.ts";
import type { RowOf } from "../../live/calls.ts";

type Approval = Pick<RowOf<"approvals.list">, "type" | "payload">;

export const approvalTypeLabels: Readonly<Record<Approval["type"], string>> = {
  hire_agent: "Hire an agent",
  approve_ceo_strategy: "Strategy",
  ownership_decision: "Ownership decision",
};

/** The fields of a payload that name the request, the best first. */
export const namingKeys = ["name", "subject", "title"] as const;

/** The request, by the name that its payload gives it. */
export const approvalTitle = ({ type, payload }: Approval): string => {
  const found = namingKeys
    .map((key) => payload[key])
    .find((each) => typeof each === "string" && each.trim() !== "");
  return typeof found === "string" ? visibleText(found) : approvalTypeLabels[type];
};
