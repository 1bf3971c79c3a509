import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { approvalTypeWords } from "../../parts/approval-words.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Time } from "../../parts/time.tsx";
import { rowProps, useVirtualRows } from "../../parts/virtual-rows.ts";
import { Page } from "../../shell/page.tsx";
import { type Entry, pathOf } from "./entry.ts";
import { InboxActions } from "./inbox-actions.tsx";

/** Failures are red, what waits for a decision is amber, what is held is violet; news has no colour. */
const displays: Readonly<
  Record<Entry["kind"], { readonly icon: IconName; readonly tone?: "red" | "amber" | "violet" }>
> = {
  approval: { icon: "shield-check", tone: "amber" },
  permission: { icon: "shield-check", tone: "amber" },
  confirmation: { icon: "circle-check", tone: "amber" },
  suggested_tasks: { icon: "list", tone: "amber" },
  questions: { icon: "circle-question-mark", tone: "amber" },
  review: { icon: "eye", tone: "amber" },
  assigned_issue: { icon: "user" },
  watched_issue: { icon: "bell" },
  budget_stop: { icon: "wallet", tone: "red" },
  budget_alert: { icon: "wallet", tone: "amber" },
  failed_run: { icon: "circle-x", tone: "red" },
  agent_error: { icon: "circle-alert", tone: "red" },
  held_run: { icon: "circle-pause", tone: "violet" },
  held_agent: { icon: "circle-pause", tone: "violet" },
  needs_assignee: { icon: "user", tone: "amber" },
  stalled_issue: { icon: "hourglass", tone: "violet" },
  missed_ticks: { icon: "calendar-clock", tone: "violet" },
  unhealthy_vault: { icon: "key-round", tone: "red" },
  failed_backup: { icon: "circle-alert", tone: "red" },
  failed_adapter: { icon: "unplug", tone: "red" },
};

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

const entryAt = (index: number) => document.querySelector<HTMLElement>(`.inbox-entry[data-index="${index}"]`);

/** Where an entry with the focus goes, as it does when it is decided, the focus goes to the one in its place, or the title. */
const useFocusThatStays = (shown: readonly Entry[]) => {
  const focused = useRef<{ readonly id: string; readonly index: number } | null>(null);
  useLayoutEffect(() => {
    const { id, index } = focused.current ?? { id: null, index: 0 };
    const isGone = id !== null && shown.every((entry) => entry.id !== id);
    if (isGone && document.activeElement === document.body)
      (
        entryAt(Math.min(index, shown.length - 1))?.querySelector<HTMLElement>("a, button") ??
        document.querySelector<HTMLElement>("main h1")
      )?.focus();
  }, [shown]);
  useEffect(() => {
    const check = () => {
      const entry = document.activeElement?.closest<HTMLElement>(".inbox-entry");
      focused.current = entry == null ? null : { id: entry.dataset.id!, index: Number(entry.dataset.index) };
    };
    document.addEventListener("focusin", check);
    return () => document.removeEventListener("focusin", check);
  }, []);
};

/** Everything that waits for this person, oldest first; what is decided goes at once. */
export const InboxScreen = () => {
  const entries = usePages("inbox.list", { limit: 100 });
  const companies = useRead("companies.list", {});
  const [at, setAt] = useState(0);
  const shown = entries.rows;
  const chosen = Math.min(at, Math.max(0, shown.length - 1));
  useFocusThatStays(shown);
  const list = useRef<HTMLOListElement>(null);
  const rows = useVirtualRows(list, shown, ({ id }) => id, 90);
  const prefixOf = (id: string | null) => companies.data?.find((each) => each.id === id)?.issuePrefix;
  useKeys([
    { keys: "j", does: "Go to the next entry", run: () => move(1) },
    { keys: "k", does: "Go to the entry before", run: () => move(-1) },
    { keys: "Enter", does: "Open what the entry is about", run: () => press(".inbox-title a") },
  ]);
  const press = (selector: string) =>
    document.querySelector<HTMLElement>(`.inbox-entry.chosen ${selector}`)?.click();
  const move = (by: number) => {
    const next = Math.max(0, Math.min(shown.length - 1, chosen + by));
    setAt(next);
    rows.scrollTo(next);
  };
  return (
    <Page title="Inbox">
      <LinkReuse />
      <Pages
        of={entries}
        empty={
          <Empty
            icon="inbox"
            title="Nothing waits for you"
            action={
              companies.data?.[0] === undefined ? undefined : (
                <LinkButton to={`/${companies.data[0].issuePrefix}/pulse`}>
                  See who works on what in {companies.data[0].name}
                </LinkButton>
              )
            }
          >
            Approvals, reviews, questions, failures and stopped budgets come here, and go when they are dealt
            with. So does news of issues that you watch.
          </Empty>
        }
      >
        <ol ref={list} className="inbox" aria-label="What waits for you">
          {rows.shown.map(({ row: entry, index, gap }) => (
            <li
              key={entry.id}
              {...rowProps(rows, { index, gap }, shown.length)}
              data-id={entry.id}
              className={`inbox-entry ${displays[entry.kind].tone ?? ""}${index === chosen ? " chosen" : ""}`}
              onFocus={() => setAt(index)}
            >
              <Icon name={displays[entry.kind].icon} />
              <div className="inbox-words">
                <div className="inbox-title">
                  <Subject entry={entry} prefix={prefixOf(entry.companyId)} />
                </div>
                <p>{entry.reason}</p>
                <p className="faint inbox-facts">
                  {[entry.companyName ?? "This instance", entry.issue?.identifier, entry.agent?.name]
                    .filter(Boolean)
                    .join(" · ")}
                  {" · "}
                  <Time at={entry.waitingSince} />
                </p>
              </div>
              <InboxActions entry={entry} prefix={prefixOf(entry.companyId)} />
            </li>
          ))}
        </ol>
      </Pages>
    </Page>
  );
};

const Subject = ({ entry, prefix }: { readonly entry: Entry; readonly prefix: string | undefined }) => {
  const path = entry.subject.type === "adapter" ? "/instance" : pathOf(entry, prefix);
  const { title } = entry.subject;
  // An approval whose payload names nothing has its type for a title.
  const shown = (approvalTypeWords as Readonly<Record<string, string>>)[title] ?? title;
  return path === null ? <span>{shown}</span> : <Link href={path}>{shown}</Link>;
};
