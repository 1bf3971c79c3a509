import type { RowOf } from "../../live/calls.ts";

export type Entry = RowOf<"inbox.list">;

/** Whether the service would take the action now. */
export const offers = (entry: Entry, action: Entry["actions"][number]): boolean =>
  entry.actions.includes(action);

/** Why the service would refuse the most likely action, as a sentence; null: it would not. */
export const refusalOf = ({ callerMay }: Entry): string | null => {
  const [likeliest] = Object.values(callerMay);
  return likeliest === undefined || likeliest.allowed ? null : (likeliest.error ?? null);
};

/** Where the subject of an entry is dealt with; null where the page has no place for it. */
export const pathOf = ({ subject, issue, agent }: Entry, prefix: string | undefined): string | null => {
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
