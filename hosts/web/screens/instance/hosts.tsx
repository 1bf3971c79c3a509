import { useRead } from "../../live/calls.ts";
import { Problem } from "../../widgets/field.tsx";
import { Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";

/** The machines on which agents work, and which agents wait for one. */
export const Hosts = () => {
  const volumes = useRead("volumes.list", {});
  if (volumes.isError) return <Problem error={volumes.error} />;
  return (
    <section className="instance-section" aria-labelledby="instance-hosts">
      <h2 id="instance-hosts">Hosts</h2>
      <Table
        label="Hosts"
        rows={volumes.data ?? []}
        rowKey={({ volume }) => volume}
        columns={[
          { key: "host", title: "Host", grows: true, cell: ({ host }) => host },
          {
            key: "state",
            title: "State",
            cell: ({ givenUpAt }) =>
              givenUpAt === null ? (
                "Reachable"
              ) : (
                <>
                  Abandoned <Time at={givenUpAt} as="full" />
                </>
              ),
          },
          { key: "agents", title: "Agents", align: "end", cell: ({ agents }) => agents },
          { key: "runs", title: "Runs", align: "end", cell: ({ runsRunning }) => runsRunning },
        ]}
      />
    </section>
  );
};
