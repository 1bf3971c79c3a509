import type { IconName } from "../widgets/icon.tsx";

export interface NavigationItem {
  readonly label: string;
  readonly icon: IconName;
  /** Inside of the company, or from the root. */
  readonly path: string;
  readonly inCompany: boolean;
  /** One of the five of the bottom bar on narrow screens. */
  readonly isFirst?: boolean;
}

/**
 * The keys that go there: `g`, and as many of the first letters of its name as tell it from the others.
 */
export const keysTo = ({ label }: NavigationItem): string => {
  const letters = label.toLowerCase();
  const others = navigation.map((each) => each.label.toLowerCase()).filter((each) => each !== letters);
  let length = 1;
  while (length < letters.length && others.some((each) => each.startsWith(letters.slice(0, length))))
    length++;
  return ["g", ...letters.slice(0, length)].join(" ");
};

/** Where one can go, in the order of the sidebar. */
export const navigation: readonly NavigationItem[] = [
  { label: "Inbox", icon: "inbox", path: "/inbox", inCompany: false, isFirst: true },
  { label: "Pulse", icon: "activity", path: "/pulse", inCompany: true, isFirst: true },
  { label: "Issues", icon: "circle-dot", path: "/issues", inCompany: true, isFirst: true },
  { label: "Projects", icon: "folder", path: "/projects", inCompany: true },
  { label: "Goals", icon: "target", path: "/goals", inCompany: true },
  { label: "Agents", icon: "bot", path: "/agents", inCompany: true, isFirst: true },
  { label: "Runs", icon: "terminal", path: "/runs", inCompany: true },
  { label: "Approvals", icon: "shield-check", path: "/approvals", inCompany: true },
  { label: "Routines", icon: "calendar-clock", path: "/routines", inCompany: true },
  { label: "Organisation", icon: "network", path: "/org", inCompany: true },
  { label: "Spend", icon: "wallet", path: "/spend", inCompany: true },
  { label: "Activity", icon: "scroll-text", path: "/activity", inCompany: true },
  { label: "Secrets", icon: "key-round", path: "/secrets", inCompany: true },
  { label: "Settings", icon: "settings", path: "/settings", inCompany: true },
];
