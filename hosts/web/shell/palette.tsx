import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useLocation } from "wouter";
import { useRead } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { useSession } from "../live/session.ts";
import { Status } from "../nouns/status.tsx";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { KeyName, useKeys } from "../widgets/keys.tsx";
import { matches } from "../widgets/matches.ts";
import { OptionRow } from "../widgets/option-row.tsx";
import { chooseTheme, themeIcons, themeLabels, themes } from "../widgets/theme.ts";
import { keysTo, navigation } from "./navigation.ts";
import type { PaletteAction } from "./palette-action.ts";
import { usePaletteActions } from "./palette-actions.ts";
import { useSignOut } from "./sign-out.ts";

const Opening = createContext<() => void>(() => {});

/** Opens the palette. */
export const usePalette = (): (() => void) => use(Opening);

interface Entry {
  readonly key: string;
  readonly group: string;
  readonly label: string;
  readonly mark: ReactNode;
  readonly hint?: ReactNode;
  readonly run: () => void;
  readonly instead?: PaletteAction["instead"];
}

/** Ctrl K: goes to pages, finds issues and agents by their words, does what can be done from anywhere. */
export const PaletteHolder = ({
  company,
  children,
}: {
  readonly company: Company | null;
  readonly children: ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  useKeys([
    { keys: "mod+k", does: "Command palette", run: open },
    { keys: "/", does: "Command palette", run: open },
  ]);
  return (
    <Opening value={open}>
      {children}
      {isOpen ? <Palette company={company} onClose={() => setOpen(false)} /> : null}
    </Opening>
  );
};

const Palette = ({
  company,
  onClose,
}: {
  readonly company: Company | null;
  readonly onClose: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [asked, setAsked] = useState<Entry | null>(null);
  const [, go] = useLocation();
  const found = useEntries(company, usePaletteActions(company), typed.trim());
  const entries = asked === null ? found : answersTo(asked, go);
  const at = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  // The visible choice stays chosen when later answers put entries before it.
  const key = entries[at]?.key ?? null;
  if (key !== chosen) setChosen(key);
  useModal(dialog);
  useEffect(() => {
    document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, listId]);
  const choose = (entry: Entry) => {
    if (entry.instead === undefined) {
      onClose();
      entry.run();
    } else {
      setAsked(entry);
      setChosen(null);
    }
  };
  const enter = useEnter(entries[at], choose);
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={({ target }) => (target === dialog.current ? onClose() : undefined)}
    >
      <PaletteField
        listId={listId}
        activeId={entries[at] === undefined ? undefined : `${listId}-${at}`}
        typed={typed}
        onType={(text) => {
          enter.forget();
          setTyped(text);
          setChosen(null);
          setAsked(null);
        }}
        onEnter={enter.press}
        onMove={(by) => setChosen((entries[at + by] ?? entries[at])?.key ?? null)}
      />
      <PaletteList listId={listId} entries={entries} at={at} onPoint={setChosen} onChoose={choose} />
    </dialog>
  );
};

interface PaletteFieldProps {
  readonly listId: string;
  /** The id of the entry that Enter chooses. */
  readonly activeId: string | undefined;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onEnter: () => void;
  readonly onMove: (by: 1 | -1) => void;
}

const PaletteField = ({ listId, activeId, typed, onType, onEnter, onMove }: PaletteFieldProps) => (
  <div className="palette-field">
    <Icon name="search" />
    <input
      role="combobox"
      aria-label="Command palette"
      aria-expanded="true"
      aria-controls={listId}
      aria-activedescendant={activeId}
      aria-autocomplete="list"
      autoComplete="off"
      placeholder="Search or run a command…"
      value={typed}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") onEnter();
        else if (event.key === "ArrowDown") onMove(1);
        else if (event.key === "ArrowUp") onMove(-1);
        else return;
        event.preventDefault();
      }}
    />
  </div>
);

interface PaletteListProps {
  readonly listId: string;
  readonly entries: readonly Entry[];
  /** The position of the entry that Enter chooses. */
  readonly at: number;
  readonly onPoint: (key: string) => void;
  readonly onChoose: (entry: Entry) => void;
}

const PaletteList = ({ listId, entries, at, onPoint, onChoose }: PaletteListProps) => (
  <div id={listId} role="listbox" aria-label="Results" className="palette-list" tabIndex={-1}>
    {entries.map((entry, index) => (
      <OptionRow
        key={entry.key}
        id={`${listId}-${index}`}
        isChosen={index === at}
        onPoint={() => onPoint(entry.key)}
        onChoose={() => onChoose(entry)}
      >
        {entry.mark}
        <span className="cut grow">{entry.label}</span>
        <span className="faint">{entry.hint ?? entry.group}</span>
      </OptionRow>
    ))}
    {entries.length === 0 ? <p className="palette-none muted">No results.</p> : null}
  </div>
);

const useModal = (dialog: RefObject<HTMLDialogElement | null>) =>
  // It gives the focus back only if it is closed before it goes.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, [dialog]);

/** Enter chooses the entry; pressed before the first answer to the words, it opens the issue that this finds. */
const useEnter = (entry: Entry | undefined, choose: (entry: Entry) => void) => {
  const isEarly = useRef(false);
  useEffect(() => {
    if (!isEarly.current || entry === undefined) return;
    isEarly.current = false;
    if (entry.group === "Issue") choose(entry);
  });
  return {
    press: () => {
      isEarly.current = entry === undefined;
      if (entry !== undefined) choose(entry);
    },
    forget: () => {
      isEarly.current = false;
    },
  };
};

/** Enter alone carries out no final action: the way to look at its subject is offered first, and the action below. */
const answersTo = ({ instead, label, run, ...entry }: Entry, go: (to: string) => void): readonly Entry[] => [
  {
    key: `${entry.key} instead`,
    group: "Open first",
    label: instead!.label,
    mark: <Icon name="arrow-right" />,
    run: () => go(instead!.to),
  },
  { ...entry, key: `${entry.key} now`, group: "Cannot be undone", label: `${label}: yes`, run },
];

type MakeEntry = (group: string, label: string, icon: IconName, to: string, hint?: ReactNode) => Entry;

const thingsToDoIn = ({ issuePrefix, callerMay }: Company, entry: MakeEntry): readonly Entry[] => [
  ...(callerMay.createIssue.allowed
    ? [entry("Do", "New issue", "plus", `/${issuePrefix}/issues?new`, <KeyName keys="c" />)]
    : []),
  ...(callerMay.createAgent.allowed
    ? [entry("Do", "Hire an agent", "user-plus", `/${issuePrefix}/agents?new`)]
    : []),
  ...(callerMay.manageMembers.allowed
    ? [entry("Do", "Invite a member", "user-plus", `/${issuePrefix}/settings?invite`)]
    : []),
];

const useEntries = (
  company: Company | null,
  actions: readonly PaletteAction[],
  query: string,
): readonly Entry[] => {
  const [, go] = useLocation();
  const { createCompany, inspect } = useSession().callerMay;
  const mayRead = company?.callerMay.manageSecrets.allowed ?? false;
  const companyId = company?.id ?? "";
  const at = `/${company?.issuePrefix ?? ""}`;
  const agents = useRead("agents.list", { companyId }, { enabled: company !== null });
  const routines = useRead("routines.list", { companyId, callerMay: true }, { enabled: company !== null });
  const secrets = useRead("secrets.list", { companyId }, { enabled: mayRead });
  const waiting = useRead("inbox.ofCompany", { companyId, limit: 100 }, { enabled: company !== null });
  const companies = useRead("companies.list", {});
  const entry: MakeEntry = (group, label, icon, to, hint) => ({
    key: `${group} ${to}`,
    group,
    label,
    mark: <Icon name={icon} />,
    hint,
    run: () => go(to),
  });
  const fixed = [
    ...navigation
      .filter(({ inCompany }) => company !== null || !inCompany)
      .map((item) =>
        entry(
          "Page",
          item.label,
          item.icon,
          item.inCompany ? at + item.path : item.path,
          <KeyName keys={keysTo(item)} />,
        ),
      ),
    ...(company === null ? [] : thingsToDoIn(company, entry)),
    entry("Page", "Your profile", "user", "/profile"),
    ...(inspect.allowed ? [entry("Page", "Instance", "settings", "/instance")] : []),
    ...(createCompany.allowed ? [entry("Do", "New company", "building", "/new")] : []),
    ...(agents.data ?? [])
      .filter(({ status }) => status !== "terminated")
      .map(({ id, name }) => entry("Agent", name, "bot", `${at}/agents/${id}`)),
    ...(waiting.data?.items ?? [])
      .filter(({ kind }) => kind === "approval")
      .map(({ subject }) =>
        entry("Approval", `Decide ${subject.title}`, "shield-check", `${at}/approvals/${subject.id}`),
      ),
    ...(routines.data ?? []).map(({ id, title }) =>
      entry("Routine", title, "calendar-clock", `${at}/routines/${id}`),
    ),
    ...(secrets.data ?? []).map(({ id, name }) => ({
      ...entry("Secret", name, "key-round", `${at}/secrets`),
      key: id,
    })),
    ...(companies.data ?? [])
      .filter(({ id }) => id !== companyId)
      .map(({ name, issuePrefix }) => entry("Company", name, "building", `/${issuePrefix}/pulse`)),
  ];
  const own = useOwnEntries();
  const commands = query === "" ? fixed.filter(({ group }) => group === "Page" || group === "Do") : fixed;
  const { issues, isSearching } = useIssueEntries(company, query);
  const deeds = actions
    .filter(({ isOfFound }) => !isOfFound || !isSearching)
    .map(({ icon, ...action }) => ({
      ...action,
      group: "Do",
      mark: <Icon name={icon} />,
    }));
  const found = (all: readonly Entry[]) => all.filter(({ label }) => matches(label, query));
  return query === ""
    ? commands
    : [...found(commands).slice(0, 12), ...issues, ...found([...deeds, ...own]).slice(0, 10)];
};

/** Themes, and signing out. */
const useOwnEntries = (): readonly Entry[] => {
  const [location] = useLocation();
  const signOut = useSignOut();
  return [
    ...themes.map((theme) => ({
      key: `theme ${theme}`,
      group: "You",
      label: themeLabels[theme],
      mark: <Icon name={themeIcons[theme]} />,
      run: () => chooseTheme(theme),
    })),
    {
      key: "sign out",
      group: "You",
      label: "Sign out",
      mark: <Icon name="log-out" />,
      run: () => void signOut(),
      instead: { label: "Stay signed in", to: location },
    },
  ];
};

/** The issues that the service finds by the words, and whether it still looks for them. */
const useIssueEntries = (company: Company | null, query: string) => {
  const [, go] = useLocation();
  const companyId = company?.id ?? "";
  const at = `/${company?.issuePrefix ?? ""}`;
  const hits = useRead(
    "issues.search",
    { companyId, q: query, limit: 12 },
    { enabled: company !== null && query.length > 1, placeholderData: (before) => before },
  );
  // Until the hits for these words are there, those for earlier words stay where these words name them.
  const named = (hits.data?.items ?? []).filter(
    ({ identifier, title }) => !hits.isPlaceholderData || matches(`${identifier} ${title}`, query),
  );
  const issues = (query.length > 1 ? named : []).map(
    (issue): Entry => ({
      key: issue.id,
      group: "Issue",
      label: issue.title,
      mark: <Status of="issue" status={issue.status} bare />,
      hint: <span className="mono">{issue.identifier}</span>,
      run: () => go(`${at}/issues/${issue.identifier}`),
    }),
  );
  const isSearching = company !== null && query.length > 1 && (hits.isPending || hits.isPlaceholderData);
  return { issues, isSearching };
};
