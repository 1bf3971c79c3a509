import { Link } from "wouter";
import type { RowOf } from "../../live/calls.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";

type Entry = RowOf<"activity.list">;

/** `issue.status_changed`: "Issue status changed", in the glossary's words. */
const actionText = (action: string): string => {
  const words = action
    .replace(".", " ")
    .replace("heartbeat", "run")
    .replace("issue interaction", "card")
    .replace("secret_provider_config", "vault")
    .replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const pathsOf: Readonly<Record<string, string>> = {
  issue: "/issues",
  agent: "/agents",
  heartbeat_run: "/runs",
  approval: "/approvals",
  routine: "/routines",
};

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** What names the thing, the best first; what follows of them says more by itself. */
const naming = ["identifier", "title", "name", "displayName", "key", "bodySnippet"];

/** The name of what it is about, and what else was kept: `from todo · to done`. Ids say nothing to people. */
const wordsOf = (details: Entry["details"]): { readonly name: string | null; readonly more: string } => {
  const [name = null, ...named] = naming.map((key) => details[key]).filter(isText);
  const others = Object.entries(details)
    .filter(([key]) => !naming.includes(key) && !/Ids?$/.test(key))
    .map(([key, value]) => {
      const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      if (value === null) return "";
      if (Array.isArray(value)) return value.every(isText) ? `${words} ${value.join(", ")}` : "";
      return typeof value === "object" ? "" : `${words} ${String(value).replaceAll("_", " ")}`;
    });
  return { name, more: [...named, ...others].filter((each) => each !== "").join(" · ") };
};

export const ActivityTable = ({ rows }: { readonly rows: readonly Entry[] }) => {
  const here = useHere();
  const nameOf = useNames();
  const about = ({ action, details, entityType, entityId }: Entry) => {
    const words = wordsOf(details);
    const assigneeId = [details.agentId, details.userId].find(isText);
    const assignee = assigneeId === undefined ? "nobody" : nameOf(assigneeId).name;
    const name =
      words.name ??
      (entityType === "agent"
        ? nameOf(entityId).name
        : entityType === "heartbeat_run"
          ? `a run of ${nameOf(String(details.agentId)).name}`
          : entityType.replaceAll("_", " "));
    const path = pathsOf[entityType];
    return (
      <>
        {path === undefined ? (
          name
        ) : (
          <Link href={here(`${path}/${entityId}`)} className="activity-link">
            {name}
          </Link>
        )}{" "}
        <span className="muted">{action === "issue.assigned" ? `to ${assignee}` : words.more}</span>
      </>
    );
  };
  return (
    <Table
      label="What has happened"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          key: "who",
          title: "Who",
          cell: ({ actorId, actorName }) => (
            <Actor {...nameOf(actorId)} {...(actorName === null ? {} : { name: actorName })} />
          ),
        },
        { key: "what", title: "What", wideOnly: true, cell: ({ action }) => actionText(action) },
        {
          key: "about",
          title: "About",
          grows: true,
          cell: (entry) => (
            <>
              <span className="activity-narrow">{actionText(entry.action)}: </span>
              {about(entry)}
            </>
          ),
        },
        {
          key: "run",
          title: "Run",
          wideOnly: true,
          cell: ({ runId }) => (runId === null ? "" : <Link href={here(`/runs/${runId}`)}>a run</Link>),
        },
        { key: "when", title: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
};
