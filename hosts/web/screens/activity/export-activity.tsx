import { useState } from "react";
import { call, type InputOf, type RowOf } from "../../live/calls.ts";
import { csvText } from "../../widgets/csv.ts";
import { Icon } from "../../widgets/icon.tsx";
import { locale } from "../../widgets/locale.ts";
import { Menu } from "../../widgets/menu.tsx";
import { saveFile } from "../../widgets/save-file.ts";
import { useToasts } from "../../widgets/toasts.tsx";

type Entry = RowOf<"activity.list">;
type Asked = Omit<InputOf<"activity.list">, "limit" | "cursor">;

const columns = [
  "createdAt",
  "actorType",
  "actorName",
  "assistant",
  "actorId",
  "runId",
  "action",
  "entityType",
  "entityId",
] as const;

const csvOf = (entries: readonly Entry[]): string =>
  csvText([
    [...columns, "details"],
    ...entries.map((entry) => [
      ...columns.map((column) => entry[column] ?? ""),
      JSON.stringify(entry.details),
    ]),
  ]);

const formats = {
  ndjson: {
    label: "Download NDJSON",
    type: "application/x-ndjson",
    textOf: (entries: readonly Entry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
  },
  csv: { label: "Download CSV", type: "text/csv", textOf: csvOf },
} as const;

/** As many as one file has: more are found by narrower filters. */
const most = 100_000;

const readAll = async (asked: Asked): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await call("activity.list", { ...asked, limit: 500, cursor });
    entries.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && entries.length < most);
  return entries;
};

/** Saves the entries that the filters leave, all pages of them, as a file. */
export const ExportActivity = ({ asked, name }: { readonly asked: Asked; readonly name: string }) => {
  const say = useToasts();
  const [isBusy, setBusy] = useState(false);
  const run = async (format: keyof typeof formats) => {
    setBusy(true);
    try {
      const entries = await readAll(asked);
      const { type, textOf } = formats[format];
      saveFile(`${name}.${format}`, textOf(entries), type);
      say.done(
        entries.length < most
          ? `Saved ${entries.length.toLocaleString(locale)} entries.`
          : `Saved the newest ${entries.length.toLocaleString(locale)} entries. Narrow the filters to get the others.`,
      );
    } catch (error) {
      say.refused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      label="Export"
      className="button"
      align="end"
      button={
        <>
          <Icon name="download" /> {isBusy ? "Reading…" : "Export"}
        </>
      }
      items={(Object.keys(formats) as (keyof typeof formats)[]).map((format) => ({
        label: formats[format].label,
        disabled: isBusy,
        run: () => void run(format),
      }))}
    />
  );
};
