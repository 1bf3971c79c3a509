import { useMemo } from "react";
import { urlKeyOf } from "../../../../core/model/agents/url-key.ts";
import type { Mentionable } from "../../../../core/model/issues/comments/mentions.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { useHere, useIssuePath } from "../../nouns/companies/company.tsx";
import type { References } from "../../nouns/markdown.tsx";

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

/** The issues, agents and files that a comment of an issue can refer to. */
export const useCommentReferences = ({ id, companyId }: Issue): References => {
  const here = useHere();
  const issuePath = useIssuePath();
  const agents = useMentionable(companyId);
  const { data } = useRead("attachments.list", { issueId: id });
  const files = data?.items;
  const base = here("/agents");
  return useMemo(
    () => ({ issuePath, mentions: { agents, pathOf: (agentId) => `${base}/${agentId}` }, files }),
    [issuePath, agents, base, files],
  );
};
