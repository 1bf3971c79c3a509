import { createContext, use } from "react";
import type { AgentStatus } from "../../../core/model/agents/agent-status.ts";
import { useWaitOfPart } from "../live/part-of-screen.ts";

export interface Named {
  readonly kind: "person" | "agent" | "system";
  readonly name: string;
  readonly status?: AgentStatus;
}

export type NameOf = (id: string | null | undefined) => Named;

/** The names in the company shown; `NamesOfCompany` gives them. */
export const NamesShown = createContext<{ readonly nameOf: NameOf; readonly isLoading: boolean } | null>(
  null,
);

/** Names agents and people of the company shown by their ids. */
export const useNames = (): NameOf => {
  const names = use(NamesShown);
  if (names === null) throw new Error("Names belong to a company.");
  useWaitOfPart(names.isLoading);
  return names.nameOf;
};
