import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { useFinalWrites } from "../../nouns/final-writes.tsx";
import { inboxEntries } from "../../nouns/list-inputs.ts";
import { Button, LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { ActionKeys } from "../../widgets/keyed-button.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { Time } from "../../widgets/time.tsx";
import type { Entry } from "./entry.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { rowsOf } from "./groups.ts";
import { InboxFilterBar, type InboxFilters, useInboxFilters } from "./inbox-filters.tsx";
import { InboxList } from "./inbox-list.tsx";

/** Warns the person whose one-time link was opened a second time: somebody else may hold it. */
const LinkReuse = () => {
  const { linkReusedAt } = useSession();
  if (linkReusedAt === null) return null;
  return (
    <p className="inbox-warning" role="alert">
      <Icon name="circle-alert" />
      <span>
        A sign-in link of yours was opened again <Time at={linkReusedAt} />, and was refused. If that was not
        you, revoke the tokens of your user in Settings.
      </span>
    </p>
  );
};

/**
 * The entry shown: the one that the address names. Where that has gone, as when it was decided, the one in its place, and the
 * focus goes there with it, or to the title after the last one.
 */
const useChosen = (entries: readonly Entry[]) => {
  const [params, setParams] = useSearchParams();
  const named = params.get("entry");
  const lastIndex = useRef(0);
  const at = entries.findIndex(({ id }) => id === named);
  if (at >= 0) lastIndex.current = at;
  const chosen = entries[at >= 0 ? at : Math.min(lastIndex.current, entries.length - 1)] ?? null;
  const choose = (entry: Entry | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (entry === null) after.delete("entry");
        else after.set("entry", entry.id);
        return after;
      },
      { replace: true },
    );
  return { chosen, isOpen: at >= 0, choose };
};

const rowLink = (id: string) =>
  document.querySelector<HTMLElement>(`.inbox-entry[data-id="${CSS.escape(id)}"] a`);

/** An element of the list or next to it that has gone gives the focus to the entry in its place. */
const useFocusThatStays = (entries: readonly Entry[], chosen: Entry | null) => {
  const wasIn = useRef(false);
  useEffect(() => {
    const check = () => {
      wasIn.current = document.activeElement?.closest(".inbox-panes") !== null;
    };
    document.addEventListener("focusin", check);
    return () => document.removeEventListener("focusin", check);
  }, []);
  const shown = entries.length;
  useLayoutEffect(() => {
    if (!wasIn.current || document.activeElement !== document.body) return;
    const next = chosen === null ? null : rowLink(chosen.id);
    (next?.checkVisibility() ? next : document.querySelector<HTMLElement>("main h1"))?.focus();
  }, [shown, chosen?.id]);
};

/** The keys that decide the chosen entry, where its buttons are offered. */
const decisionKeys = {
  approve: { keys: "a", does: "Main action" },
  reject: { keys: "r", does: "Reject" },
  revise: { keys: "e", does: "Request changes or send back" },
  dismiss: { keys: "d", does: "Snooze until it changes" },
};

const goToDetail = () => document.querySelector<HTMLElement>(".inbox-detail h2")?.focus();

interface InboxKeys {
  readonly move: (by: number) => void;
  readonly close: () => void;
}

const useInboxKeys = ({ move, close }: InboxKeys) =>
  useKeys([
    { keys: "j", does: "Next entry", run: () => move(1) },
    { keys: "k", does: "Previous entry", run: () => move(-1) },
    { keys: "Enter", does: "Go to the request", run: goToDetail },
    { keys: "Escape", does: "Back to the list", run: close },
  ]);

/** Everything that waits for this person, and next to it the chosen entry, whole; a decided one goes at once. */
export const InboxScreen = () => {
  const { data: companies = [], isPending } = useRead("companies.list", {});
  const filters = useInboxFilters(companies);
  const { kind, dismissed, company, grouping } = filters;
  const asked = {
    ...inboxEntries,
    ...(kind.length === 0 ? {} : { kind }),
    ...(dismissed ? { dismissed } : {}),
  };
  const ofAll = usePages("inbox.list", asked, { enabled: company === null });
  const ofOne = usePages(
    "inbox.ofCompany",
    { ...asked, companyId: company?.id ?? "" },
    { enabled: company !== null },
  );
  const pages = company === null ? ofAll : ofOne;
  const { waiting } = useFinalWrites();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const entries = pages.rows.filter(({ subject }) => !waiting.has(subject.id));
  const rows = rowsOf(entries, grouping, opened);
  const shown = rows.flatMap((row) => (row.type === "entry" ? [row.entry] : []));
  const { chosen, isOpen, choose } = useChosen(shown);
  const list = useRef<HTMLOListElement>(null);
  useFocusThatStays(shown, chosen);
  const move = (by: number) => {
    const hasFocus = list.current?.contains(document.activeElement) === true;
    const at = shown.findIndex(({ id }) => id === chosen?.id);
    const next = shown[hasFocus || isOpen ? Math.max(0, Math.min(shown.length - 1, at + by)) : at];
    if (next === undefined) return;
    const link = rowLink(next.id);
    link?.focus();
    // On a phone the list is not there while an entry is read.
    if (document.activeElement !== link) choose(next);
  };
  const close = () => {
    if (chosen === null) return;
    const { id } = chosen;
    if (isNarrow()) choose(null);
    requestAnimationFrame(() => rowLink(id)?.focus());
  };
  useInboxKeys({ move, close });
  return (
    <Page title="Inbox" fills>
      <LinkReuse />
      <div className={isOpen ? "inbox-panes open" : "inbox-panes"}>
        <div className="inbox-side" data-scrolls>
          <InboxFilterBar filters={filters} companies={companies} />
          <Pages of={{ ...pages, rows: entries }} empty={<NothingWaits filters={filters} />}>
            <InboxList
              rows={rows}
              chosen={chosen}
              list={list}
              onChoose={(entry) => {
                // On a phone only a press opens.
                if (!isNarrow()) choose(entry);
              }}
              onMove={move}
              onExpand={(group) => setOpened(new Set([...opened, group]))}
            />
          </Pages>
        </div>
        {chosen === null || isPending ? null : (
          <ActionKeys value={decisionKeys}>
            <EntryDetail
              key={`${chosen.id} ${chosen.version}`}
              entry={chosen}
              company={companies.find(({ id }) => id === chosen.companyId) ?? null}
              isDismissed={dismissed}
              onClose={close}
            />
          </ActionKeys>
        )}
      </div>
    </Page>
  );
};

/** Whether list and entry are shown one after the other: as in the stylesheet. */
const isNarrow = (): boolean => matchMedia("(width < 900px)").matches;

const NothingWaits = ({ filters }: { readonly filters: InboxFilters }) => {
  const { data: companies = [] } = useRead("companies.list", {});
  const [first] = companies;
  if (filters.isNarrowed)
    return (
      <Empty
        icon="list-filter"
        title={filters.dismissed ? "Nothing snoozed" : "No entries match your filters"}
        action={<Button onClick={filters.clear}>Show all</Button>}
      >
        {filters.dismissed ? "Snoozed entries come back when they change." : null}
      </Empty>
    );
  return (
    <Empty
      icon="inbox"
      title="You're all caught up"
      action={
        first === undefined ? undefined : (
          <LinkButton to={`/${first.issuePrefix}/pulse`}>View the pulse of {first.name}</LinkButton>
        )
      }
    >
      Requests, failures and updates on issues you follow show up here.
    </Empty>
  );
};
