import { useMemo } from "react";
import { urlKeyOf } from "../../../../core/model/agents/url-key.ts";
import type { Mentionable } from "../../../../core/model/issues/comments/mentions.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import type { Mentions, ReferredFile } from "../../nouns/markdown.tsx";

export type AgentRow = AnswerOf<"agents.list">[number];

/** The agents that comments of the company can mention. */
export const useMentionable = (companyId: string): readonly AgentRow[] => {
  const { data } = useRead("agents.list", { companyId });
  return useMemo(() => data?.filter(({ status }) => status !== "terminated") ?? [], [data]);
};

/** The people whom comments of the company can mention, except the reader. */
export const useMentionablePeople = (companyId: string): readonly Mentionable<string>[] => {
  const { userId } = useSession();
  const { data: members = [] } = useRead("members.list", { companyId });
  // With instance admins who have no role of their own in the company.
  const { data: people = [] } = useRead("members.people", { companyId });
  return useMemo(() => {
    const names = new Map([...members, ...people].map((each) => [each.userId, each.name]));
    names.delete(userId);
    return [...names].map(([id, name]) => ({ id, name, urlKey: urlKeyOf(name, id) }));
  }, [members, people, userId]);
};

/** The agents that a comment of an issue can wake, and the files that it can refer to. */
export const useCommentReferences = ({
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
