import type { InboxSubject } from "./inbox-kind.ts";

/** The parts of an entry that lead to its page. */
interface Located {
  readonly subject: { readonly type: InboxSubject; readonly id: string };
  readonly issue: { readonly identifier: string } | null;
  readonly agent: { readonly id: string } | null;
}

/** Where the subject of an entry is dealt with; null where the page has no place for it. */
export const entryPath = ({ subject, issue, agent }: Located, prefix: string | undefined): string | null => {
  if (subject.type === "adapter" || subject.type === "backup") return "/instance";
  if (prefix === undefined) return null;
  switch (subject.type) {
    case "approval":
      return `/${prefix}/approvals/${subject.id}`;
    case "interaction":
      return issue === null ? null : `/${prefix}/issues/${issue.identifier}#${subject.id}`;
    case "issue":
      return issue === null ? null : `/${prefix}/issues/${issue.identifier}`;
    case "run":
      return `/${prefix}/runs/${subject.id}`;
    case "agent":
      return agent === null ? null : `/${prefix}/agents/${agent.id}`;
    case "routine":
      return `/${prefix}/routines/${subject.id}`;
    case "event_subscription":
      return `/${prefix}/settings`;
    case "vault":
      return `/${prefix}/secrets`;
    case "company":
    case "project":
      return `/${prefix}/spend`;
    default:
      return null;
  }
};
