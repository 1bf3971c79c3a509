import type { IconName } from "../parts/icon.tsx";

export interface NavigationItem {
  readonly label: string;
  readonly icon: IconName;
  /** Inside of the company, or from the root. */
  readonly path: string;
  readonly inCompany: boolean;
  /** The second key after `g`. */
  readonly key: string;
  /** One of the five of the bottom bar on narrow screens. */
  readonly isFirst?: boolean;
}

/** Where one can go, in the order of the sidebar. */
export const navigation: readonly NavigationItem[] = [
  { label: "Inbox", icon: "inbox", path: "/inbox", inCompany: false, key: "i", isFirst: true },
  { label: "Pulse", icon: "activity", path: "/pulse", inCompany: true, key: "p", isFirst: true },
  { label: "Issues", icon: "circle-dot", path: "/issues", inCompany: true, key: "s", isFirst: true },
  { label: "Agents", icon: "bot", path: "/agents", inCompany: true, key: "a", isFirst: true },
  { label: "Runs", icon: "terminal", path: "/runs", inCompany: true, key: "u" },
  { label: "Approvals", icon: "shield-check", path: "/approvals", inCompany: true, key: "v" },
  { label: "Routines", icon: "calendar-clock", path: "/routines", inCompany: true, key: "r" },
  { label: "Organisation", icon: "network", path: "/org", inCompany: true, key: "o" },
  { label: "Spend", icon: "wallet", path: "/spend", inCompany: true, key: "d" },
  { label: "Activity", icon: "scroll-text", path: "/activity", inCompany: true, key: "t" },
  { label: "Secrets", icon: "key-round", path: "/secrets", inCompany: true, key: "k" },
  { label: "Settings", icon: "settings", path: "/settings", inCompany: true, key: "e" },
];
