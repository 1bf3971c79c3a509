import { useMemo } from "react";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import type { Mentions, ReferredFile } from "../../nouns/markdown.tsx";

export type AgentRow = AnswerOf<"agents.list">[number];

/** The agents that comments of the company can mention. */
export const useMentionable = (companyId: string): readonly AgentRow[] => {
  const { data } = useRead("agents.list", { companyId });
  return useMemo(() => data?.filter(({ status }) => status !== "terminated") ?? [], [data]);
};

/** The agents that a comment of an issue can wake, and the files that it can refer to. */
export const useSaid = ({
  id,
  companyId,
}: Issue): { readonly mentions: Mentions; readonly files: readonly ReferredFile[] | undefined } => {
  const here = useHere();
  const agents = useMentionable(companyId);
  const { data: files } = useRead("attachments.list", { issueId: id });
  const base = here("/agents");
  const mentions = useMemo(
    () => ({ agents, pathOf: (agentId: string) => `${base}/${agentId}` }),
    [agents, base],
  );
  return { mentions, files: files?.items };
};
