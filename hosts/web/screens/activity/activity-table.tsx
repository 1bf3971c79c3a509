import { Link } from "wouter";
import type { RowOf } from "../../live/calls.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";

type Entry = RowOf<"activity.list">;

/** `issue.status_changed`: "Issue status changed". */
const actionText = (action: string): string => {
  const words = action.replace(".", " ").replaceAll("_", " ");
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

/** The words that name what it is about; an agent's name is known by its id. */
const nameIn = (details: Entry["details"]): string | null =>
  [details.identifier, details.title, details.name, details.key].find(isText) ?? null;

const left = new Set(["identifier", "title", "name", "key"]);

/** What else was kept about it: `from todo to done`. Ids say nothing to people. */
const moreOf = ({ details }: Entry): string =>
  Object.entries(details)
    .filter(([key]) => !left.has(key) && !/Ids?$/.test(key))
    .map(([key, value]) => {
      const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      if (value === null) return "";
      if (Array.isArray(value)) return value.every(isText) ? `${words} ${value.join(", ")}` : "";
      return typeof value === "object" ? "" : `${words} ${String(value).replaceAll("_", " ")}`;
    })
    .filter((each) => each !== "")
    .join(" · ");

export const ActivityTable = ({ rows }: { readonly rows: readonly Entry[] }) => {
  const here = useHere();
  const nameOf = useNames();
  const about = ({ details, entityType, entityId }: Entry) => {
    const name =
      nameIn(details) ??
      (entityType === "agent" ? nameOf(entityId).name : null) ??
      entityType.replaceAll("_", " ");
    const path = pathsOf[entityType];
    return path === undefined ? name : <Link href={here(`${path}/${entityId}`)}>{name}</Link>;
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
          cell: ({ actorId }) => <Actor {...nameOf(actorId)} />,
        },
        { key: "what", title: "What", wideOnly: true, cell: ({ action }) => actionText(action) },
        {
          key: "about",
          title: "About",
          grows: true,
          cell: (entry) => (
            <>
              <span className="activity-narrow">{actionText(entry.action)}: </span>
              {about(entry)} <span className="muted">{moreOf(entry)}</span>
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
