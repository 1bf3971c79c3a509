import type { AnswerOf } from "../../live/calls.ts";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { useAdapterName } from "./adapter-name.ts";

export type UsageWindow = AnswerOf<"costs.usageWindows">[number];

const AdapterName = ({ of }: { readonly of: string }) => {
  const nameOf = useAdapterName();
  return <span className="faint">{nameOf(of)}</span>;
};

const columns: readonly Column<UsageWindow>[] = [
  {
    key: "window",
    title: "Window",
    grows: true,
    cell: ({ adapterType, name }) => (
      <>
        {name.replaceAll("_", " ")} <AdapterName of={adapterType} />
      </>
    ),
  },
  {
    key: "used",
    title: "Used",
    align: "end",
    cell: ({ usedPercent }) => (usedPercent === null ? "Not reported" : `${Math.round(usedPercent)} %`),
  },
  {
    key: "status",
    title: "Status",
    cell: ({ status, heldUntil }) => (
      <>
        {status ?? "Not reported"}
        {heldUntil === null ? null : (
          <>
            {" "}
            · new runs wait until <Time at={heldUntil} as="full" />
          </>
        )}
      </>
    ),
  },
  {
    key: "resets",
    title: "Resets",
    wideOnly: true,
    cell: ({ resetsAt }) => (resetsAt === null ? "Not reported" : <Time at={resetsAt} as="full" />),
  },
  { key: "reported", title: "Reported", cell: ({ reportedAt }) => <Time at={reportedAt} /> },
];

/** How much of their providers' windows accounts have used, with the age of each report. */
export const UsageWindows = ({ windows }: { readonly windows: readonly UsageWindow[] }) => (
  <Table
    label="Usage windows"
    columns={columns}
    rows={windows}
    rowKey={({ adapterType, agentIds, name }) => `${adapterType} ${agentIds[0] ?? ""} ${name}`}
  />
);
